// Made by make-exports.mjs: names of 'node:timers' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:timers", name);
export const _unrefActive = of("_unrefActive");
export const active = of("active");
export const enroll = of("enroll");
export const unenroll = of("unenroll");
