// The session as it is on disk, and how it can be read.

import type { AgentMessage } from "./pi-agent-core";
import type { ImageContent, TextContent, Usage } from "./pi-ai";

interface EntryBase {
  id: string;
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface SessionHeader {
  type: "session";
  version?: number;
  id: string;
  timestamp: string;
  cwd: string;
  parentSession?: string;
}

export interface SessionMessageEntry extends EntryBase {
  type: "message";
  message: AgentMessage;
}

export interface ModelChangeEntry extends EntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

export interface ThinkingLevelChangeEntry extends EntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}

export interface CompactionEntry<Details = unknown> extends EntryBase {
  type: "compaction";
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: Details;
  usage?: Usage;
  fromHook?: boolean;
}

export interface BranchSummaryEntry<Details = unknown> extends EntryBase {
  type: "branch_summary";
  fromId: string;
  summary: string;
  details?: Details;
  usage?: Usage;
  fromHook?: boolean;
}

/** What an extension keeps in the session; the model never sees it. */
export interface CustomEntry<Data = unknown> extends EntryBase {
  type: "custom";
  customType: string;
  data?: Data;
}

export interface CustomMessageEntry<Details = unknown> extends EntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: Details;
}

export interface LabelEntry extends EntryBase {
  type: "label";
  targetId: string;
  label: string | undefined;
}

export interface SessionInfoEntry extends EntryBase {
  type: "session_info";
  name?: string;
}

export type SessionEntry =
  | SessionMessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry;

export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label?: string;
  labelTimestamp?: string;
}

/** The session as it goes to the model. */
export interface SessionProjection {
  entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** `ctx.sessionManager`. */
export interface ReadonlySessionManager {
  getCwd(): string;
  getSessionDir(): string;
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getSessionName(): string | undefined;
  getHeader(): SessionHeader | null;
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getEntry(id: string): SessionEntry | undefined;
  /** All entries, those of other branches too. */
  getEntries(): SessionEntry[];
  getLabel(id: string): string | undefined;
  /** The way from the first entry to the present one, or to another. */
  getBranch(fromId?: string): SessionEntry[];
  getTree(): SessionTreeNode[];
  buildContextEntries(): SessionEntry[];
  buildSessionProjection(): SessionProjection;
}

export interface CompactionResult<Details = unknown> {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details?: Details;
  usage?: Usage;
}

/** What is about to be compacted. */
export interface CompactionPreparation {
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  previousSummary?: string;
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
}
