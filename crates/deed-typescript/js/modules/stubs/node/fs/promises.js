// Made by make-exports.mjs: names of 'node:fs/promises' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:fs/promises", name);
export const chown = of("chown");
export const glob = of("glob");
export const lchmod = of("lchmod");
export const lchown = of("lchown");
export const lutimes = of("lutimes");
export const statfs = of("statfs");
