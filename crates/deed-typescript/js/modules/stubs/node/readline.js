// Made by make-exports.mjs: names of 'node:readline' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:readline", name);
export const promises = of("promises");
