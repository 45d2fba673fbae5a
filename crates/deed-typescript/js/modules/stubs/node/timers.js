// Made by make-exports.mjs: names of 'node:timers' that have no implementation.

import { stubs } from "deed:errors";

export const [_unrefActive, active, enroll, unenroll] = stubs("node:timers", "_unrefActive active enroll unenroll");
