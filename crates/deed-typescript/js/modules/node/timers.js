// node:timers.

import * as promises from "deed:modules/node/timers/promises";
import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from "deed:globals/timers";

export * from "deed:modules/stubs/node/timers";

const custom = Symbol.for("nodejs.util.promisify.custom");
for (const [original, promised] of [[setTimeout, promises.setTimeout], [setImmediate, promises.setImmediate]]) {
  Object.defineProperty(original, custom, { value: promised, configurable: true });
}

export { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
export default { clearImmediate, clearInterval, clearTimeout, promises, setImmediate, setInterval, setTimeout };
