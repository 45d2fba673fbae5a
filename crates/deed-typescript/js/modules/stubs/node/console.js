// Made by make-exports.mjs: names of 'node:console' that have no implementation.

import { stubs } from "deed:errors";

export const [Console, context, createTask, profile, profileEnd, timeStamp] = stubs("node:console", "Console context createTask profile profileEnd timeStamp");
