// node:assert/strict.

import { strict } from "deed:modules/node/assert";

export * from "deed:modules/node/assert";
export { deepStrictEqual as deepEqual, notDeepStrictEqual as notDeepEqual, notStrictEqual as notEqual, strictEqual as equal } from "deed:modules/node/assert";
export default strict;
