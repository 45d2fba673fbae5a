// Made by make-exports.mjs: names of 'node:https' that have no implementation.

import { stubs } from "deed:errors";

export const [Agent, Server, createServer, get, globalAgent, request] = stubs("node:https", "Agent Server createServer get globalAgent request");
export default { Agent, Server, createServer, get, globalAgent, request };
