// node:module: createRequire and the list of modules.

import { builtinModules, isBuiltin } from "deed:builtins";
import { requireFrom } from "deed:commonjs";
import { unsupported } from "deed:errors";

export * from "deed:modules/stubs/node/module";

export const createRequire = (from) => requireFrom(from);
export const register = unsupported("'register' from 'node:module'");
export const findPackageJSON = unsupported("'findPackageJSON' from 'node:module'");
export const syncBuiltinESMExports = () => {};
export class Module {
  static createRequire = createRequire;
  static builtinModules = builtinModules;
  static isBuiltin = isBuiltin;
  static syncBuiltinESMExports = syncBuiltinESMExports;
}
Module.Module = Module;
export { builtinModules, isBuiltin };
export default Module;
