// Made by make-exports.mjs: names of 'node:domain' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:domain", name);
export const Domain = of("Domain");
export const _stack = of("_stack");
export const active = of("active");
export const create = of("create");
export const createDomain = of("createDomain");
export default { Domain, _stack, active, create, createDomain };
