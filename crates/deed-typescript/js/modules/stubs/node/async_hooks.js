// Made by make-exports.mjs: names of 'node:async_hooks' that have no implementation.

import { stubs } from "deed:errors";

export const [asyncWrapProviders, executionAsyncResource] = stubs("node:async_hooks", "asyncWrapProviders executionAsyncResource");
