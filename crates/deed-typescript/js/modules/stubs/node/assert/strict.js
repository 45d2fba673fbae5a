// Made by make-exports.mjs: names of 'node:assert/strict' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:assert/strict", name);
export const Assert = of("Assert");
export const CallTracker = of("CallTracker");
export const partialDeepStrictEqual = of("partialDeepStrictEqual");
