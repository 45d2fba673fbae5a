// Made by make-exports.mjs: names of 'node:url' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:url", name);
export const Url = of("Url");
export const fileURLToPathBuffer = of("fileURLToPathBuffer");
export const resolveObject = of("resolveObject");
