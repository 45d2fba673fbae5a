// deed/sql: what a database extension leaves to its host. Every answer is the host's: this module
// decides nothing.

import { onAbort } from "deed:globals/events";
import { nextId, op, opAsync } from "deed:native";

/** Tells whether a text is one statement that only reads. */
export const isReadOnlySql = (sql) => op("sql.isReadOnly", { sql: String(sql) }).readOnly === true;

/** Returns the one form of a text that a right to run it is bound to. */
export const canonicalizeSql = (sql) => op("sql.canonical", { sql: String(sql) }).text;

/** Gives a call the right to run a text, once. */
export function grantOneShotQueryCapability(toolCallId, canonical) {
  op("sql.grant", { callId: toolCallId, canonical });
}

/** Takes the right of a call to run a text; reading needs no grant. */
export const consumeQueryCapability = (toolCallId, canonical) => op("sql.consume", { callId: toolCallId, canonical }).capability ?? undefined;

/** Rights that were shown to fit a text, until it runs. */
const authorized = new Map();

/** Throws unless a right fits a text. */
export function assertAuthorizedSql(sql, capability) {
  op("sql.assertAuthorized", { sql, capability: capability ?? null });
  authorized.set(sql, capability);
}

/** Runs a text whose right was shown, and gives a tool result. */
export async function runAuthorizedQuery(sql, signal) {
  signal?.throwIfAborted();
  const capability = authorized.get(sql) ?? null;
  authorized.delete(sql);
  const id = nextId("sql");
  const stop = onAbort(signal, () => op("sql.cancel", { id }));
  try {
    return await opAsync("sql.run", { id, sql, capability });
  } finally {
    stop();
  }
}
