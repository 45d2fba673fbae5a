// Made by make-exports.mjs: names of 'node:events' that have no implementation.

import { stubs } from "deed:errors";

export const [captureRejections, init, usingDomains] = stubs("node:events", "captureRejections init usingDomains");
