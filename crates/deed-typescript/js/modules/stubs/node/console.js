// Made by make-exports.mjs: names of 'node:console' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:console", name);
export const Console = of("Console");
export const assert = of("assert");
export const clear = of("clear");
export const context = of("context");
export const count = of("count");
export const countReset = of("countReset");
export const createTask = of("createTask");
export const debug = of("debug");
export const dir = of("dir");
export const dirxml = of("dirxml");
export const error = of("error");
export const group = of("group");
export const groupCollapsed = of("groupCollapsed");
export const groupEnd = of("groupEnd");
export const info = of("info");
export const log = of("log");
export const profile = of("profile");
export const profileEnd = of("profileEnd");
export const table = of("table");
export const time = of("time");
export const timeEnd = of("timeEnd");
export const timeLog = of("timeLog");
export const timeStamp = of("timeStamp");
export const trace = of("trace");
export const warn = of("warn");
