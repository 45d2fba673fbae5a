// node:path/posix.

import path from "deed:modules/node/path";

export * from "deed:modules/node/path";
export default path.posix;
