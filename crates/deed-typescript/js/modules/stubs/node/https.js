// Made by make-exports.mjs: names of 'node:https' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:https", name);
export const Agent = of("Agent");
export const Server = of("Server");
export const createServer = of("createServer");
export const get = of("get");
export const globalAgent = of("globalAgent");
export const request = of("request");
export default { Agent, Server, createServer, get, globalAgent, request };
