// Made by make-exports.mjs: names of 'node:url' that have no implementation.

import { stubs } from "deed:errors";

export const [Url, fileURLToPathBuffer, resolveObject] = stubs("node:url", "Url fileURLToPathBuffer resolveObject");
