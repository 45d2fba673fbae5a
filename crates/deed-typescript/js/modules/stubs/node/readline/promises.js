// Made by make-exports.mjs: names of 'node:readline/promises' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:readline/promises", name);
export const Readline = of("Readline");
