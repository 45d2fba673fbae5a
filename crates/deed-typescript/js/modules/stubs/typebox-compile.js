// Made by make-exports.mjs: names of 'typebox/compile' that have no implementation.

import { stubs } from "deed:errors";

export const [Code, Validator] = stubs("typebox/compile", "Code Validator");
