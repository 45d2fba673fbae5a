// Made by make-exports.mjs: names of 'node:async_hooks' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:async_hooks", name);
export const asyncWrapProviders = of("asyncWrapProviders");
export const executionAsyncResource = of("executionAsyncResource");
