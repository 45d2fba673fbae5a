// Made by make-exports.mjs: names of 'node:querystring' that have no implementation.

import { stubs } from "deed:errors";

export const [unescapeBuffer] = stubs("node:querystring", "unescapeBuffer");
