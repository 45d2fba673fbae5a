// Made by make-exports.mjs: names of 'node:child_process' that have no implementation.

import { stubs } from "deed:errors";

export const [_forkChild] = stubs("node:child_process", "_forkChild");
