// Made by make-exports.mjs: names of 'node:events' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:events", name);
export const captureRejections = of("captureRejections");
export const init = of("init");
export const usingDomains = of("usingDomains");
