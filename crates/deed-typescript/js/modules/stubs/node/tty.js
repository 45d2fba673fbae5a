// Made by make-exports.mjs: names of 'node:tty' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:tty", name);
export const ReadStream = of("ReadStream");
export const WriteStream = of("WriteStream");
