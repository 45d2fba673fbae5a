// Made by make-exports.mjs: names of 'node:tty' that have no implementation.

import { stubs } from "deed:errors";

export const [ReadStream, WriteStream] = stubs("node:tty", "ReadStream WriteStream");
