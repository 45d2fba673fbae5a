// Made by make-exports.mjs: names of 'node:path/posix' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:path/posix", name);
export const _makeLong = of("_makeLong");
