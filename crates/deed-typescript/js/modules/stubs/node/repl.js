// Made by make-exports.mjs: names of 'node:repl' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:repl", name);
export const REPLServer = of("REPLServer");
export const REPL_MODE_SLOPPY = of("REPL_MODE_SLOPPY");
export const REPL_MODE_STRICT = of("REPL_MODE_STRICT");
export const Recoverable = of("Recoverable");
export const isValidSyntax = of("isValidSyntax");
export const start = of("start");
export const writer = of("writer");
export default { REPLServer, REPL_MODE_SLOPPY, REPL_MODE_STRICT, Recoverable, isValidSyntax, start, writer };
