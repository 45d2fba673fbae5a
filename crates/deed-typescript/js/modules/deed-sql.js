// deed/sql: what a database extension leaves to its host. Every answer is the host's: this module
// decides nothing, and what it hands out is worth nothing elsewhere.
//
//   import {
//     assertAuthorizedSql, canonicalizeSql, consumeQueryCapability, grantOneShotQueryCapability,
//     isReadOnlySql, recordEnd, recordProgress, recordStart, runAuthorizedQuery,
//   } from "deed/sql";
//
// A handler of tool_call shows a write to a person and grants it; the tool consumes the grant, shows
// the capability, and runs the statement. A grant is for one statement of one call, and only what a
// person confirmed to that handler can be granted: the statement alone as the message of
// ctx.ui.confirm, or below the first line of the title of ctx.ui.select. It stands
// beside the rules of the session and not in their place: what they deny does not run, and what they
// ask about is asked about too.
//
// Where several databases are configured, the functions that take a `database` need its name; a
// capability knows its own.

import { onAbort } from "deed:globals/events";
import { log, nextId, op, opAsync } from "deed:native";

/** What the host calls a capability: in no member, so that no copy is one. */
const ids = new WeakMap();

function idOf(capability) {
  if (capability === undefined || capability === null) return null;
  const id = ids.get(capability);
  if (id === undefined) throw new TypeError("this isn't a capability: only consumeQueryCapability gives one");
  return id;
}

/** Tells whether a text is one statement that only reads. */
export const isReadOnlySql = (sql, database) => op("sql.isReadOnly", { sql: String(sql), database }).readOnly === true;

/** Returns the one form of a text that a right to run it is bound to. */
export const canonicalizeSql = (sql) => op("sql.canonical", { sql: String(sql) }).text;

/** Gives a call the right to run a text, once; throws unless a person confirmed it in this handler. */
export function grantOneShotQueryCapability(toolCallId, canonical, database) {
  op("sql.grant", { callId: String(toolCallId), canonical: String(canonical), database });
}

/**
 * Takes the right of a running call to run a text; a read has one anyway. `undefined` if the call
 * has none. The capability is over with the call.
 */
export function consumeQueryCapability(toolCallId, canonical, database) {
  const answer = op("sql.consume", { callId: String(toolCallId), canonical: String(canonical), database });
  if (typeof answer.capability !== "string") return undefined;
  const capability = Object.freeze({ access: answer.access, database: answer.database });
  ids.set(capability, answer.capability);
  return capability;
}

/** Throws unless a right fits a text; the text then runs on that right. */
export function assertAuthorizedSql(sql, capability, database) {
  op("sql.assertAuthorized", { sql: String(sql), capability: idOf(capability), database });
}

/**
 * Runs a text and gives a tool result. It runs on the right that was shown for it, or on the one in
 * the options (`{capability, database}`), which is used up, also if the statement fails.
 */
export async function runAuthorizedQuery(sql, signal, options = {}) {
  signal?.throwIfAborted();
  const text = String(sql);
  const capability = idOf(options.capability) ?? op("sql.claim", { sql: text }).capability;
  const id = nextId("sql");
  const stop = onAbort(signal, () => op("sql.cancel", { id }));
  try {
    return await opAsync("sql.run", { id, sql: text, capability, database: options.database });
  } finally {
    stop();
  }
}

const record = (what) => (event) => log("debug", `${event.toolName} ${event.toolCallId} ${what}${event.isError ? ", with an error" : ""}`);

// The record that counts is the host's own: every call and every statement, with who approved it. These
// leave a line in the diagnostics, without arguments and results.

/** Notes that a call starts: a handler of tool_execution_start. */
export const recordStart = record("starts");
/** Notes that a call has something to show: a handler of tool_execution_update. */
export const recordProgress = record("goes on");
/** Notes that a call ends: a handler of tool_execution_end. */
export const recordEnd = record("ends");
