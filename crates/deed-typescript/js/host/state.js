// What this isolate's extension registered, and what the host said of the session.

import { AbortController } from "deed:globals/events";
import { op } from "deed:native";

/** What runs when the engine ends. */
export const endings = [];
export const handlers = new Map();
export const tools = new Map();
export const commands = new Map();
export const flags = new Map();
export const shortcuts = new Map();
export const renderers = { message: new Map(), entry: new Map(), tool: [], markdown: [] };

const live = {};
const controllers = new Map();
let stale;

/** Takes values of the session that the host pushes. */
export function setLive(values) {
  Object.assign(live, values);
}

/** Returns a value of the session as it is now: what was pushed, otherwise what the host answers. */
export function current(key, scope) {
  const value = Object.hasOwn(live, key) ? live[key] : op("ctx.get", { key, scope });
  return value === null ? undefined : value;
}

/** Ends the life of all objects handed out so far. */
export function invalidate(message) {
  stale = message ?? "this extension was loaded again, or the session was replaced: an object of the one before can't be used any more";
}

/** Throws if the objects handed out are stale. */
export function assertFresh() {
  if (stale === undefined) return;
  const error = new Error(stale);
  error.name = "StaleError";
  throw error;
}

/** Returns the controller of a call or run, made at its first mention. */
export function controllerOf(id) {
  if (!controllers.has(id)) controllers.set(id, new AbortController());
  return controllers.get(id);
}
export const forgetController = (id) => void controllers.delete(id);

/** Returns the signal of the run that is under way. */
export function runSignal() {
  const run = current("run");
  return run === undefined ? undefined : controllerOf(run).signal;
}

/** Fires the signal of a call or run. */
export function abort(id, reason) {
  controllerOf(id).abort(reason);
}

/** What runs now, in the order of its beginning: the dispatches the host waits for. */
const dispatches = [];

/** Runs work as a dispatch, so that what it waits for can be told from its own time. */
export async function within(dispatch, work) {
  dispatches.push(dispatch);
  try {
    return await work();
  } finally {
    dispatches.splice(dispatches.indexOf(dispatch), 1);
  }
}

/** Returns the only dispatch that runs, for calls that do not say to which they belong. */
export const onlyDispatch = () => (dispatches.length === 1 ? dispatches[0] : undefined);

/** Returns what an operation that waits tells of the dispatch it belongs to. */
export function scopeOf(dispatch) {
  if (dispatch?.scope === undefined) return {};
  const input = dispatch.changedInput?.();
  return input === undefined ? { scope: dispatch.scope } : { scope: dispatch.scope, input };
}
