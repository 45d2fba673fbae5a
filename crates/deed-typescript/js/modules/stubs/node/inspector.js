// Made by make-exports.mjs: names of 'node:inspector' that have no implementation.

import { stubs } from "deed:errors";

export const [Network, NetworkResources, Session, close, console, open, url, waitForDebugger] = stubs("node:inspector", "Network NetworkResources Session close console open url waitForDebugger");
export default { Network, NetworkResources, Session, close, console, open, url, waitForDebugger };
