// node:timers/promises.

import { codedError } from "deed:errors";
import { onAbort } from "deed:globals/events";
import * as timers from "deed:globals/timers";

export * from "deed:modules/stubs/node/timers/promises";

const aborted = (signal) => codedError(Error, "ABORT_ERR", "The operation was aborted", { name: "AbortError", cause: signal.reason });

function wait(start, clear, { signal } = {}) {
  if (signal?.aborted) return Promise.reject(aborted(signal));
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const timer = start((value) => {
      stop();
      resolve(value);
    });
    stop = onAbort(signal, () => {
      clear(timer);
      reject(aborted(signal));
    });
  });
}

export const setTimeout = (ms, value, options) => wait((done) => timers.setTimeout(done, ms, value), timers.clearTimeout, options);
export const setImmediate = (value, options) => wait((done) => timers.setImmediate(done, value), timers.clearImmediate, options);
export async function* setInterval(ms, value, options = {}) {
  for (;;) {
    await setTimeout(ms, undefined, options);
    yield value;
  }
}
export const scheduler = { wait: (ms, options) => setTimeout(ms, undefined, options), yield: () => setImmediate() };
export default { scheduler, setImmediate, setInterval, setTimeout };
