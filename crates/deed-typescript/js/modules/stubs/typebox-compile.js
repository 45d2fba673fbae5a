// Made by make-exports.mjs: names of 'typebox/compile' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("typebox/compile", name);
export const Code = of("Code");
export const Validator = of("Validator");
