// Made by make-exports.mjs: names of 'node:diagnostics_channel' that have no implementation.

import { stubs } from "deed:errors";

export const [tracingChannel] = stubs("node:diagnostics_channel", "tracingChannel");
