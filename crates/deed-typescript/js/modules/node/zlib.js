// node:zlib: not there; the names are, so that modules that mention them load.

import { guarded } from "deed:errors";

export * from "deed:modules/stubs/node/zlib";
export const constants = {};
export default guarded({ constants }, "zlib");
