// Events, and what their handlers may answer.

import type { AgentMessage, CustomMessage } from "./pi-agent-core";
import type { BashOperations, BashToolDetails, BashToolInput, EditToolDetails, EditToolInput, FindToolDetails, FindToolInput, GrepToolDetails, GrepToolInput, LsToolDetails, LsToolInput, ReadToolDetails, ReadToolInput, WriteToolInput } from "./tools";
import type { OutgoingMessage, SystemPromptOptions } from "./context";
import type { ImageContent, JsonValue, Model, TextContent, ThinkingLevel, ToolResultMessage, Usage } from "./pi-ai";
import type { BranchSummaryEntry, CompactionEntry, CompactionPreparation, CompactionResult, SessionEntry } from "./session";

type Reason = "manual" | "threshold" | "overflow";

export interface ProjectTrustEvent { type: "project_trust"; cwd: string }
export interface ProjectTrustEventResult { trusted: "yes" | "no" | "undecided"; remember?: boolean }
export interface ResourcesDiscoverEvent { type: "resources_discover"; cwd: string; reason: "startup" | "reload" }
export interface ResourcesDiscoverResult { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] }

export interface SessionStartEvent { type: "session_start"; reason: "startup" | "reload" | "new" | "resume" | "fork"; previousSessionFile?: string }
export interface SessionShutdownEvent { type: "session_shutdown"; reason: "quit" | "reload" | "new" | "resume" | "fork"; targetSessionFile?: string }
export interface SessionInfoChangedEvent { type: "session_info_changed"; name: string | undefined }
export interface SessionBeforeSwitchEvent { type: "session_before_switch"; reason: "new" | "resume"; targetSessionFile?: string }
export interface SessionBeforeForkEvent { type: "session_before_fork"; entryId: string; position: "before" | "at" }
export interface SessionBeforeCompactEvent {
  type: "session_before_compact";
  preparation: CompactionPreparation;
  branchEntries: SessionEntry[];
  customInstructions?: string;
  reason: Reason;
  willRetry: boolean;
  signal: AbortSignal;
}
export interface SessionCompactEvent { type: "session_compact"; compactionEntry: CompactionEntry; fromExtension: boolean; reason: Reason; willRetry: boolean }
export interface SessionCompactFailedEvent { type: "session_compact_failed"; reason: Reason; errorMessage?: string; aborted: boolean; willRetry: boolean; fromExtension: boolean }
export interface SessionBeforeTreeEvent {
  type: "session_before_tree";
  preparation: { targetId: string; oldLeafId: string | null; commonAncestorId: string | null; entriesToSummarize: SessionEntry[]; userWantsSummary: boolean; customInstructions?: string };
  signal: AbortSignal;
}
export interface SessionTreeEvent { type: "session_tree"; newLeafId: string | null; oldLeafId: string | null; summaryEntry?: BranchSummaryEntry; fromExtension?: boolean }

export interface InputEvent { type: "input"; text: string; images?: ImageContent[]; source: "interactive" | "rpc" | "extension"; streamingBehavior?: "steer" | "followUp" }
export type InputEventResult = { action: "continue" } | { action: "handled" } | { action: "transform"; text: string; images?: ImageContent[] };
interface BeforeAgentStart { type: "before_agent_start"; readonly systemPrompt: string; systemPromptOptions: SystemPromptOptions }
export interface BeforeAgentStartUserEvent extends BeforeAgentStart { messageType: "user"; prompt: string; images?: ImageContent[] }
export interface BeforeAgentStartCustomEvent extends BeforeAgentStart { messageType: "custom"; message: CustomMessage }
export type BeforeAgentStartEvent = BeforeAgentStartUserEvent | BeforeAgentStartCustomEvent;
export interface BeforeAgentStartEventResult { message?: OutgoingMessage; systemPrompt?: string }
export interface ContextEvent { type: "context"; messages: AgentMessage[] }

export interface AgentStartEvent { type: "agent_start" }
export interface AgentEndEvent { type: "agent_end"; messages: AgentMessage[] }
export interface AgentSettledEvent { type: "agent_settled"; aborted: boolean }
export interface TurnStartEvent { type: "turn_start"; turnIndex: number; timestamp: number }
export interface TurnEndEvent { type: "turn_end"; turnIndex: number; message: AgentMessage; toolResults: ToolResultMessage[] }
export interface MessageStartEvent { type: "message_start"; message: AgentMessage }
export interface MessageUpdateEvent { type: "message_update"; message: AgentMessage; assistantMessageEvent: any }
export interface MessageEndEvent { type: "message_end"; message: AgentMessage }

export interface BeforeProviderHeadersEvent { type: "before_provider_headers"; headers: Record<string, string | null> }
export interface BeforeProviderRequestEvent { type: "before_provider_request"; payload: any }
export interface AfterProviderResponseEvent { type: "after_provider_response"; status: number; headers: Record<string, string> }

export interface ModelSelectEvent { type: "model_select"; model: Model<any>; previousModel: Model<any> | undefined; source: "set" | "cycle" | "restore" }
export interface ThinkingLevelSelectEvent { type: "thinking_level_select"; level: ThinkingLevel; previousLevel: ThinkingLevel }
type PromptKind = "select" | "confirm" | "input" | "editor" | "custom";
export interface UIPromptStartEvent { type: "ui_prompt_start"; reason: "ui_prompt"; kind: PromptKind; title?: string }
export interface UIPromptEndEvent { type: "ui_prompt_end"; reason: "ui_prompt"; kind: PromptKind; title?: string }

interface Execution { toolCallId: string; toolName: string; parentToolCallId?: string }
export interface ToolExecutionStartEvent extends Execution { type: "tool_execution_start"; args: any }
export interface ToolExecutionUpdateEvent extends Execution { type: "tool_execution_update"; args: any; partialResult: any }
export interface ToolExecutionEndEvent extends Execution { type: "tool_execution_end"; result: any; isError: boolean; durationMs?: number }

/** A call that is about to run. `input` may be changed in place; it is checked again then. */
interface CallOf<Name extends string, Input> extends Execution { type: "tool_call"; toolName: Name; input: Input }
export type BashToolCallEvent = CallOf<"bash", BashToolInput>;
export type PowerShellToolCallEvent = CallOf<"powershell", BashToolInput>;
export type ReadToolCallEvent = CallOf<"read", ReadToolInput>;
export type WriteToolCallEvent = CallOf<"write", WriteToolInput>;
export type EditToolCallEvent = CallOf<"edit", EditToolInput>;
export type GrepToolCallEvent = CallOf<"grep", GrepToolInput>;
export type FindToolCallEvent = CallOf<"find", FindToolInput>;
export type LsToolCallEvent = CallOf<"ls", LsToolInput>;
export type CustomToolCallEvent = CallOf<string, Record<string, unknown>>;
interface BuiltInCalls {
  bash: BashToolCallEvent;
  powershell: PowerShellToolCallEvent;
  read: ReadToolCallEvent;
  write: WriteToolCallEvent;
  edit: EditToolCallEvent;
  grep: GrepToolCallEvent;
  find: FindToolCallEvent;
  ls: LsToolCallEvent;
}
export type ToolCallEvent = BuiltInCalls[keyof BuiltInCalls] | CustomToolCallEvent;
/** A block is the only thing that an answer can add: nothing here lets a call pass that the rules refuse. */
export interface ToolCallEventResult { block?: boolean; reason?: string; terminate?: boolean }
export declare function isToolCallEventType<Name extends keyof BuiltInCalls>(tool: Name, event: ToolCallEvent): event is BuiltInCalls[Name];
export declare function isToolCallEventType<Name extends string, Input extends Record<string, unknown>>(tool: Name, event: ToolCallEvent): event is CallOf<Name, Input> & ToolCallEvent;

interface ResultOf<Name extends string, Details> extends Execution {
  type: "tool_result";
  toolName: Name;
  input: Record<string, unknown>;
  content: (TextContent | ImageContent)[];
  details: Details;
  structuredContent?: JsonValue;
  isError: boolean;
  usage?: Usage;
}
export type BashToolResultEvent = ResultOf<"bash", BashToolDetails | undefined>;
export type PowerShellToolResultEvent = ResultOf<"powershell", BashToolDetails | undefined>;
export type ReadToolResultEvent = ResultOf<"read", ReadToolDetails | undefined>;
export type WriteToolResultEvent = ResultOf<"write", undefined>;
export type EditToolResultEvent = ResultOf<"edit", EditToolDetails | undefined>;
export type GrepToolResultEvent = ResultOf<"grep", GrepToolDetails | undefined>;
export type FindToolResultEvent = ResultOf<"find", FindToolDetails | undefined>;
export type LsToolResultEvent = ResultOf<"ls", LsToolDetails | undefined>;
export type CustomToolResultEvent = ResultOf<string, unknown>;
export type ToolResultEvent = BashToolResultEvent | PowerShellToolResultEvent | ReadToolResultEvent | WriteToolResultEvent | EditToolResultEvent | GrepToolResultEvent | FindToolResultEvent | LsToolResultEvent | CustomToolResultEvent;
/** Fields that are there replace those of the result, whole. */
export interface ToolResultEventResult { content?: (TextContent | ImageContent)[]; details?: unknown; structuredContent?: JsonValue; isError?: boolean; usage?: Usage; terminate?: boolean }
export declare function isBashToolResult(event: ToolResultEvent): event is BashToolResultEvent;
export declare function isPowerShellToolResult(event: ToolResultEvent): event is PowerShellToolResultEvent;
export declare function isReadToolResult(event: ToolResultEvent): event is ReadToolResultEvent;
export declare function isWriteToolResult(event: ToolResultEvent): event is WriteToolResultEvent;
export declare function isEditToolResult(event: ToolResultEvent): event is EditToolResultEvent;
export declare function isGrepToolResult(event: ToolResultEvent): event is GrepToolResultEvent;
export declare function isFindToolResult(event: ToolResultEvent): event is FindToolResultEvent;
export declare function isLsToolResult(event: ToolResultEvent): event is LsToolResultEvent;

export interface UserBashEvent { type: "user_bash"; command: string; excludeFromContext: boolean; cwd: string }
export interface BashResult { output: string; exitCode: number | undefined; cancelled: boolean; truncated: boolean; fullOutputPath?: string }
export type UserBashEventResult = { operations: BashOperations; result?: never } | { result: BashResult; operations?: never };

type Cancel = { cancel?: boolean };
/** Each event with what its handlers may answer. */
export interface Events {
  project_trust: [ProjectTrustEvent, ProjectTrustEventResult];
  resources_discover: [ResourcesDiscoverEvent, ResourcesDiscoverResult];
  session_start: [SessionStartEvent, undefined];
  session_shutdown: [SessionShutdownEvent, undefined];
  session_info_changed: [SessionInfoChangedEvent, undefined];
  session_before_switch: [SessionBeforeSwitchEvent, Cancel];
  session_before_fork: [SessionBeforeForkEvent, Cancel & { skipConversationRestore?: boolean }];
  session_before_compact: [SessionBeforeCompactEvent, Cancel & { compaction?: CompactionResult }];
  session_compact: [SessionCompactEvent, undefined];
  session_compact_failed: [SessionCompactFailedEvent, undefined];
  session_before_tree: [SessionBeforeTreeEvent, Cancel & { summary?: { summary: string; details?: unknown; usage?: Usage }; customInstructions?: string; replaceInstructions?: boolean; label?: string }];
  session_tree: [SessionTreeEvent, undefined];
  input: [InputEvent, InputEventResult];
  before_agent_start: [BeforeAgentStartEvent, BeforeAgentStartEventResult];
  context: [ContextEvent, { messages?: AgentMessage[] }];
  agent_start: [AgentStartEvent, undefined];
  agent_end: [AgentEndEvent, undefined];
  agent_settled: [AgentSettledEvent, undefined];
  turn_start: [TurnStartEvent, undefined];
  turn_end: [TurnEndEvent, undefined];
  message_start: [MessageStartEvent, undefined];
  message_update: [MessageUpdateEvent, undefined];
  message_end: [MessageEndEvent, { message?: AgentMessage }];
  before_provider_headers: [BeforeProviderHeadersEvent, undefined];
  before_provider_request: [BeforeProviderRequestEvent, unknown];
  after_provider_response: [AfterProviderResponseEvent, undefined];
  model_select: [ModelSelectEvent, undefined];
  thinking_level_select: [ThinkingLevelSelectEvent, undefined];
  ui_prompt_start: [UIPromptStartEvent, undefined];
  ui_prompt_end: [UIPromptEndEvent, undefined];
  tool_call: [ToolCallEvent, ToolCallEventResult];
  tool_result: [ToolResultEvent, ToolResultEventResult];
  tool_execution_start: [ToolExecutionStartEvent, undefined];
  tool_execution_update: [ToolExecutionUpdateEvent, undefined];
  tool_execution_end: [ToolExecutionEndEvent, undefined];
  user_bash: [UserBashEvent, UserBashEventResult];
}
