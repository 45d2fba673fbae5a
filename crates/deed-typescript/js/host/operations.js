// Operations that a handler gave the host, for it to call back.

import { callOperation } from "deed:host/builtin-tools";
import { controllerOf, forgetController } from "deed:host/state";
import { nextId, op, toBase64 } from "deed:native";

const MOST_KEPT = 100;
const kept = new Map();

/** Keeps operations under a handle; the oldest go when there are too many. */
export function keepOperations(operations) {
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
  const handle = nextId("operations");
  kept.set(handle, operations);
  return { handle, methods: Object.keys(operations).filter((name) => typeof operations[name] === "function") };
}

/** Calls one of them. Output goes to the host as it comes. */
export async function runOperation(handle, method, { call, args }) {
  const operations = kept.get(handle);
  if (typeof operations?.[method] !== "function") throw new Error(`there is no operation '${method}' under '${handle}'`);
  const id = `op:${call}`;
  const send = (bytes) => op("operation.data", { handle, call, base64: toBase64(bytes) });
  try {
    return await callOperation(operations, method, args, controllerOf(id).signal, send);
  } finally {
    forgetController(id);
  }
}
