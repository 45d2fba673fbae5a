// Made by make-exports.mjs: names of 'node:diagnostics_channel' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:diagnostics_channel", name);
export const tracingChannel = of("tracingChannel");
