// deed/sql: what a database extension leaves to its host.

import type { AgentToolResult } from "./pi-agent-core";

/** The right to run one statement, once, in one call; it can be made by nobody but the host. */
export interface QueryCapability {
  readonly access: string;
  readonly database: string;
}

/** Tells whether a text is one statement that only reads. */
export declare function isReadOnlySql(sql: string, database?: string): boolean;
/** Returns the one form of a text that a right is bound to; show people this form. */
export declare function canonicalizeSql(sql: string): string;
/** Gives a call the right to run a text, once; throws unless a person confirmed it in this handler. */
export declare function grantOneShotQueryCapability(toolCallId: string, canonical: string, database?: string): void;
/** Takes the right of the running call to a text; a read has one anyway. */
export declare function consumeQueryCapability(toolCallId: string, canonical: string, database?: string): QueryCapability | undefined;
/** Throws unless the right fits the text. */
export declare function assertAuthorizedSql(sql: string, capability?: QueryCapability, database?: string): void;
/** Runs a text on the right that was shown for it. */
export declare function runAuthorizedQuery(
  sql: string,
  signal?: AbortSignal,
  options?: { capability?: QueryCapability; database?: string },
): Promise<AgentToolResult<any>>;

interface Execution {
  toolName: string;
  toolCallId: string;
  isError?: boolean;
}
/** Notes that a call starts, for the diagnostics. */
export declare function recordStart(event: Execution): void;
/** Notes that a call goes on. */
export declare function recordProgress(event: Execution): void;
/** Notes that a call ends. */
export declare function recordEnd(event: Execution): void;
