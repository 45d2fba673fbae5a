// Made by make-exports.mjs: names of 'node:path' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:path", name);
export const _makeLong = of("_makeLong");
