// Made by make-exports.mjs: names of 'node:querystring' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:querystring", name);
export const unescapeBuffer = of("unescapeBuffer");
