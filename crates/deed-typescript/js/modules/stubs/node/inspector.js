// Made by make-exports.mjs: names of 'node:inspector' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:inspector", name);
export const Network = of("Network");
export const NetworkResources = of("NetworkResources");
export const Session = of("Session");
export const close = of("close");
export const console = of("console");
export const open = of("open");
export const url = of("url");
export const waitForDebugger = of("waitForDebugger");
export default { Network, NetworkResources, Session, close, console, open, url, waitForDebugger };
