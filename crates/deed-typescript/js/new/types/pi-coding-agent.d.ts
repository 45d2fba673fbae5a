// What an extension gets: `export default function (pi: ExtensionAPI) { … }`.
//
// Which of it this host supports, and how far, stands in docs/extensions.md of Deed; `deed extension
// check` tells it of one extension.

import type { AgentMessage, CustomMessage, ThinkingLevel } from "./pi-agent-core";
import type { ImageContent, Message, Model, TextContent, Usage } from "./pi-ai";
import type { AutocompleteItem, Component, KeyId, MarkdownTheme } from "./pi-tui";
import type { TSchema } from "./typebox-builders";
import type { DeliveryOptions, ExtensionCommandContext, ExtensionContext, OutgoingMessage, Theme } from "./context";
import type { Events } from "./events";
import type { CompactionEntry, CustomEntry, SessionEntry } from "./session";
import type { SourceInfo, ToolDefinition, ToolInfo, ToolRendererResolver, TruncationResult } from "./tools";

export * from "./context";
export * from "./events";
export * from "./session";
export * from "./tools";
export type { AgentToolResult, AgentToolUpdateCallback, CustomMessage, ToolExecutionMode } from "./pi-agent-core";

export type ExtensionHandler<Event, Answer = undefined> = (event: Event, ctx: ExtensionContext) => Promise<Answer | void> | Answer | void;
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;

export interface ExecOptions {
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
  cwd?: string;
  maxBuffer?: number;
}
export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
  truncated: boolean;
}

export interface CommandOptions {
  description?: string;
  getArgumentCompletions?: (prefix: string) => AutocompleteItem[] | null | Promise<AutocompleteItem[] | null>;
  handler: (args: string, ctx: ExtensionCommandContext) => Promise<void>;
}
export interface SlashCommandInfo {
  name: string;
  description?: string;
  source: string;
  sourceInfo: SourceInfo;
}
type FlagOptions = { description?: string } & ({ type: "boolean"; default?: boolean } | { type: "string"; default?: string });

interface RenderOptions {
  expanded: boolean;
  keyText(keybinding: string): string;
  keyHint(keybinding: string, description: string): string;
}
export type MessageRenderOptions = RenderOptions & { outputPad: number };
export type EntryRenderOptions = RenderOptions;
export type MessageRenderer<D = unknown> = (message: CustomMessage<D>, options: MessageRenderOptions, theme: Theme) => Component | undefined;
export type EntryRenderer<D = unknown> = (entry: CustomEntry<D>, options: EntryRenderOptions, theme: Theme) => Component | undefined;
export type MarkdownMessageType = "user" | "assistant" | "assistant-thinking" | "custom" | "summary" | "changelog";
export type MarkdownTransformer = (markdown: string, context: { messageType: MarkdownMessageType; [key: string]: unknown }) => string;

/** A provider by configuration; functions of one's own are refused. */
export interface ProviderConfig {
  name?: string;
  baseUrl?: string;
  apiKey?: string;
  api?: string;
  headers?: Record<string, string>;
  authHeader?: boolean;
  models?: (Pick<Model, "id" | "name"> & Partial<Model>)[];
}

export interface EventBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, handler: (data: any) => void): () => void;
}

type Listen<Name extends keyof Events> = (event: Name, handler: ExtensionHandler<Events[Name][0], Events[Name][1]>) => () => void;
/** One signature for each of a union, so that each handler is checked against its own event. */
type Overloads<Signatures> = (Signatures extends unknown ? (one: Signatures) => void : never) extends (all: infer All) => void ? All : never;

export interface ExtensionAPI {
  /** Handlers run one after the other, in the order of registration. Returns what takes it back. */
  on: Overloads<{ [Name in keyof Events]: Listen<Name> }[keyof Events]>;
  registerTool<Params extends TSchema = TSchema, Details = unknown, State = any>(tool: ToolDefinition<Params, Details, State>): void;
  registerCommand(name: string, options: CommandOptions): void;
  registerShortcut(key: KeyId, options: { description?: string; handler: (ctx: ExtensionContext) => Promise<void> | void }): void;
  registerFlag(name: string, options: FlagOptions): void;
  getFlag(name: string): boolean | string | undefined;
  registerMessageRenderer<D = unknown>(customType: string, renderer: MessageRenderer<D>): void;
  registerEntryRenderer<D = unknown>(customType: string, renderer: EntryRenderer<D>): void;
  registerToolRenderer(resolver: ToolRendererResolver): void;
  registerMarkdownTransformer(transformer: MarkdownTransformer, options?: { messageTypes?: readonly MarkdownMessageType[] }): void;
  registerProvider(name: string, config: ProviderConfig): void;
  unregisterProvider(name: string): void;

  sendMessage<D = unknown>(message: OutgoingMessage<D>, options?: DeliveryOptions): void;
  sendUserMessage(content: string | (TextContent | ImageContent)[], options?: { deliverAs?: "steer" | "followUp"; expandPromptTemplates?: boolean }): void;
  /** Keeps something in the session that the model never sees. */
  appendEntry<D = unknown>(customType: string, data?: D): void;
  setLabel(entryId: string, label: string | undefined): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;

  /** Runs a program, without a shell; the permission `exec` is asked first. */
  exec(command: string, args: string[], options?: ExecOptions): Promise<ExecResult>;
  getActiveTools(): string[];
  getAllTools(): ToolInfo[];
  setActiveTools(names: string[]): void;
  getCommands(): SlashCommandInfo[];
  getSettings(): Record<string, any>;
  setModel(model: Model<any>): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;
  /** What extensions tell each other. */
  events: EventBus;
}

export declare const VERSION: string;
export declare const CONFIG_DIR_NAME: string;
export declare const CURRENT_SESSION_VERSION: number;
export declare function getAgentDir(): string;

export declare const DEFAULT_MAX_LINES: number;
export declare const DEFAULT_MAX_BYTES: number;
type Bounds = { maxLines?: number; maxBytes?: number };
/** Keeps the beginning: for files. */
export declare function truncateHead(content: string, bounds?: Bounds): TruncationResult;
/** Keeps the end: for what programs print. */
export declare function truncateTail(content: string, bounds?: Bounds): TruncationResult;
export declare function truncateLine(line: string, maxChars?: number): { text: string; wasTruncated: boolean };
export declare function formatSize(bytes: number): string;
export declare function formatReadLineRange(offset: unknown, limit: unknown): string;

/** Waits for its turn among all that change a file, the built-in tools too. */
export declare function withFileMutationQueue<T>(path: string, work: () => Promise<T>): Promise<T>;

export declare function parseFrontmatter<T extends Record<string, any> = Record<string, any>>(content: string): { frontmatter: T; body: string };
export declare function stripFrontmatter(content: string): string;
export declare function getLanguageFromPath(path: string): string | undefined;
export declare function convertToLlm(messages: AgentMessage[]): Message[];
export declare function serializeConversation(messages: Message[]): string;
export declare function estimateTokens(message: AgentMessage): number;
export declare function calculateContextTokens(usage: Usage): number;
export declare function sessionEntryToContextMessages(entry: SessionEntry): AgentMessage[];
export declare function getLatestCompactionEntry(entries: SessionEntry[]): CompactionEntry | null;
export declare function createEventBus(): EventBus & { clear(): void };

/** Themes and keys: text stays plain. */
export declare function getMarkdownTheme(): MarkdownTheme;
export declare function getSelectListTheme(): Record<string, (text: string) => string>;
export declare function getSettingsListTheme(): Record<string, any>;
export declare function highlightCode(code: string, language?: string): string[];
export declare function renderDiff(diff: string, options?: object): string;
export declare function keyText(keybinding: string): string;
export declare function keyHint(keybinding: string, description: string): string;
export declare function rawKeyHint(key: string, description: string): string;
export declare class DynamicBorder implements Component {
  constructor(color?: (text: string) => string);
  render(width: number): readonly string[];
  invalidate(): void;
}
/** A line of `--mode json`, for extensions that run the program themselves. */
export interface JsonAgentSessionEvent {
  type: string;
  [field: string]: any;
}
