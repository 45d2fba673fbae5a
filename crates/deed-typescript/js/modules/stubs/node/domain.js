// Made by make-exports.mjs: names of 'node:domain' that have no implementation.

import { stubs } from "deed:errors";

export const [Domain, _stack, active, create, createDomain] = stubs("node:domain", "Domain _stack active create createDomain");
export default { Domain, _stack, active, create, createDomain };
