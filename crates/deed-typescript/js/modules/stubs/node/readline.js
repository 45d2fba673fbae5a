// Made by make-exports.mjs: names of 'node:readline' that have no implementation.

import { stubs } from "deed:errors";

export const [promises] = stubs("node:readline", "promises");
