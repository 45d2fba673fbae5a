// pi.events: a bus within the isolate, and by JSON to the other extensions.

import { messageOf, stackOf } from "deed:errors";
import { log, op } from "deed:native";

const listeners = new Map();

function deliver(channel, data) {
  for (const listener of [...(listeners.get(channel) ?? [])]) {
    const failed = (error) => op("report.error", { event: `events:${channel}`, error: messageOf(error), stack: stackOf(error) });
    try {
      Promise.resolve(listener(data)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Tells whether a value survives as JSON. */
function isPlain(value, seen = new Set()) {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return false;
  if (typeof value !== "object" || value === null) return true;
  if (seen.has(value)) return false;
  return Object.values(value).every((item) => isPlain(item, new Set(seen).add(value)));
}

export function on(channel, listener) {
  const entry = (data) => listener(data);
  listeners.set(channel, [...(listeners.get(channel) ?? []), entry]);
  return () => listeners.set(channel, (listeners.get(channel) ?? []).filter((other) => other !== entry));
}

export function emit(channel, data) {
  deliver(channel, data);
  if (isPlain(data)) op("bus.emit", { channel, data });
  else log("warn", `'${channel}' of pi.events carries a function or a cycle: only this extension hears it`);
}

/** Takes what another extension emitted. */
export const receive = deliver;
