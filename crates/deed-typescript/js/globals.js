// Puts the globals that node's programs expect, and that the engine lacks, in their places. Those that
// few extensions use load when they are first named.

import { console } from "deed:globals/console";
import { AbortController, AbortSignal, CustomEvent, Event, EventTarget } from "deed:globals/events";
import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from "deed:globals/timers";
import { builtIn } from "deed:native";

const HERE = { AbortController, AbortSignal, clearImmediate, clearInterval, clearTimeout, console, CustomEvent, Event, EventTarget, setImmediate, setInterval, setTimeout };

/** Modules, and the globals that each of them has. */
const ELSEWHERE = {
  "globals/blob": ["Blob", "File", "FormData"],
  "globals/buffer": ["Buffer"],
  "globals/clone": ["structuredClone"],
  "globals/encoding": ["TextDecoder", "TextEncoder"],
  "globals/fetch": ["fetch", "Request", "Response"],
  "globals/headers": ["Headers"],
  "globals/process": ["process"],
  "globals/url": ["URL", "URLSearchParams"],
  "globals/web-stream": ["ReadableStream", "TextDecoderStream", "TextEncoderStream", "TransformStream", "WritableStream"],
  "globals/webcrypto": ["crypto"],
};

const put = (target, name, value) => Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

/** Defines something that is made when it is first read. */
function putLater(target, name, make) {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = make();
      put(target, name, value);
      return value;
    },
    set: (value) => put(target, name, value),
  });
}

for (const [name, value] of Object.entries(HERE)) put(globalThis, name, value);
for (const [module, names] of Object.entries(ELSEWHERE)) {
  for (const name of names) putLater(globalThis, name, () => builtIn(module)[name]);
}
if (typeof globalThis.Intl === "undefined") {
  const intl = () => builtIn("globals/intl");
  putLater(globalThis, "Intl", () => intl().Intl);
  for (const { prototype } of [Number, BigInt, Date]) {
    const names = ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"].filter((name) => Object.hasOwn(prototype, name));
    for (const name of names) {
      put(prototype, name, function (...args) {
        intl().installLocaleMethods();
        return this[name](...args);
      });
    }
  }
}
