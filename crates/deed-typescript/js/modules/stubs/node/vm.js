// Made by make-exports.mjs: names of 'node:vm' that have no implementation.

import { stubs } from "deed:errors";

export const [Script, compileFunction, constants, createContext, createScript, isContext, measureMemory, runInContext, runInNewContext, runInThisContext] = stubs("node:vm", "Script compileFunction constants createContext createScript isContext measureMemory runInContext runInNewContext runInThisContext");
export default { Script, compileFunction, constants, createContext, createScript, isContext, measureMemory, runInContext, runInNewContext, runInThisContext };
