// Made by make-exports.mjs: names of 'node:assert' that have no implementation.

import { stubs } from "deed:errors";

export const [Assert, CallTracker, partialDeepStrictEqual] = stubs("node:assert", "Assert CallTracker partialDeepStrictEqual");
