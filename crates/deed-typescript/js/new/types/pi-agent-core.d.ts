// What the loop deals in.

import type { AssistantMessage, ImageContent, JsonValue, TextContent, ThinkingLevel, ToolCall, ToolResultMessage, Usage, UserMessage } from "./pi-ai";

export type { ThinkingLevel };
export type ToolExecutionMode = "parallel" | "sequential";

/** What a call gives. An error is thrown instead. */
export interface AgentToolResult<Details = JsonValue | undefined> {
  /** What the model sees: keep it short. */
  content: (TextContent | ImageContent)[];
  /** What renderers and the session file get; the model never does. */
  details: Details;
  structuredContent?: JsonValue;
  usage?: Usage;
  isError?: boolean;
  /** Ends the run if all calls of the batch say so. */
  terminate?: boolean;
}

export type AgentToolUpdateCallback<Details = any> = (partial: AgentToolResult<Details>) => void;

export interface AgentTool {
  name: string;
  label: string;
  description: string;
  parameters: object;
}

export interface AgentToolCallOutcome {
  toolCall: ToolCall;
  result: AgentToolResult<any>;
  isError: boolean;
  durationMs?: number;
}

/** A message of an extension: the model sees its content. */
export interface CustomMessage<Details = unknown> {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  /** Whether people see it. */
  display: boolean;
  details?: Details;
  timestamp: number;
}

/** A command that a person ran. */
export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string | null;
  timestamp: number;
}

/** Everything that can stand in a session. */
export type AgentMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | CompactionSummaryMessage
  | BranchSummaryMessage;
