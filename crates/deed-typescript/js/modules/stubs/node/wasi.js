// Made by make-exports.mjs: names of 'node:wasi' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:wasi", name);
export const WASI = of("WASI");
export default { WASI };
