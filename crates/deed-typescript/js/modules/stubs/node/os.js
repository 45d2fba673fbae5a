// Made by make-exports.mjs: names of 'node:os' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:os", name);
export const setPriority = of("setPriority");
