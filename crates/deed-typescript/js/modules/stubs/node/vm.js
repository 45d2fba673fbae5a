// Made by make-exports.mjs: names of 'node:vm' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:vm", name);
export const Script = of("Script");
export const compileFunction = of("compileFunction");
export const constants = of("constants");
export const createContext = of("createContext");
export const createScript = of("createScript");
export const isContext = of("isContext");
export const measureMemory = of("measureMemory");
export const runInContext = of("runInContext");
export const runInNewContext = of("runInNewContext");
export const runInThisContext = of("runInThisContext");
export default { Script, compileFunction, constants, createContext, createScript, isContext, measureMemory, runInContext, runInNewContext, runInThisContext };
