// Made by make-exports.mjs: names of 'node:readline/promises' that have no implementation.

import { stubs } from "deed:errors";

export const [Readline] = stubs("node:readline/promises", "Readline");
