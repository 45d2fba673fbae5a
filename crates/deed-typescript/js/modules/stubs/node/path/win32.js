// Made by make-exports.mjs: names of 'node:path/win32' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:path/win32", name);
export const _makeLong = of("_makeLong");
