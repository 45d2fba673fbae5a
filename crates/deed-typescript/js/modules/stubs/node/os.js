// Made by make-exports.mjs: names of 'node:os' that have no implementation.

import { stubs } from "deed:errors";

export const [setPriority] = stubs("node:os", "setPriority");
