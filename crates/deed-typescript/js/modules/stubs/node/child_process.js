// Made by make-exports.mjs: names of 'node:child_process' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:child_process", name);
export const _forkChild = of("_forkChild");
