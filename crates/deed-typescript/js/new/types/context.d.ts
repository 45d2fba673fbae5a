// `ctx`: what handlers, tools and commands know of the session, and can do to it.

import type { AgentTool, AgentToolCallOutcome, AgentToolUpdateCallback, CustomMessage } from "./pi-agent-core";
import type { AssistantMessage, Context, Model, ModelType, RequestOptions, ThinkingLevel } from "./pi-ai";
import type { CompactionResult, ReadonlySessionManager } from "./session";

/** Text stays plain: front ends colour cards themselves. */
export declare class Theme {
  readonly name?: string;
  fg(color: string, text: string): string;
  bg(color: string, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
}

export interface ExtensionUIDialogOptions {
  /** Takes the question back. */
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
}
export type WidgetPlacement = "aboveEditor" | "belowEditor";
export interface WorkingIndicatorOptions {
  frames?: string[];
  intervalMs?: number;
}

/** With nobody there, questions are answered by nothing, or by false, at once. */
export interface ExtensionUIContext {
  select(title: string, options: string[], settings?: ExtensionUIDialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, settings?: ExtensionUIDialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, settings?: ExtensionUIDialogOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setWidget(key: string, lines: string[] | undefined, options?: { placement?: WidgetPlacement }): void;
  setTitle(title: string): void;
  setWorkingMessage(message?: string): void;
  setWorkingVisible(visible: boolean): void;
  setWorkingIndicator(options?: WorkingIndicatorOptions): void;
  setHiddenThinkingLabel(label?: string): void;
  pasteToEditor(text: string): void;
  setEditorText(text: string): void;
  getEditorText(): string;
  readonly theme: Theme;
  getAllThemes(): { name: string; path: string | undefined }[];
  getTheme(name: string): Theme | undefined;
  setTheme(theme: string | Theme): { success: boolean; error?: string };
  getToolsExpanded(): boolean;
  setToolsExpanded(expanded: boolean): void;
}

export interface ContextUsage {
  tokens: number | null;
  contextWindow: number;
  percent: number | null;
}

/** `ctx.modelRegistry`. Keys stay with the host. */
export interface ModelRegistry {
  getAll(): Model<any>[];
  /** Those for which there is a key. */
  getAvailable(): Model<any>[];
  find(provider: string, modelId: string): Model<any> | undefined;
  findOfType(type: ModelType, provider: string, modelId: string): Model<any> | undefined;
  getModelOfType(type: ModelType, provider: string, modelId: string): Model<any> | undefined;
  getModelsOfType(type: ModelType, provider?: string): readonly Model<any>[];
  getAvailableOfType(type: ModelType, provider?: string): Promise<readonly Model<any>[]>;
  hasConfiguredAuth(model: Model<any>): boolean;
  getProviderDisplayName(provider: string): string;
  getProviderAuthStatus(provider: string): { configured: boolean };
  isUsingOAuth(model: Model<any>): boolean;
  getError(): string | undefined;
  refresh(options?: object): Promise<{ errors: unknown[] }>;
  /** Asks a model, outside of the session. */
  complete(model: Model<any>, context: Context, options?: RequestOptions): Promise<AssistantMessage>;
}

export type ExtensionMode = "tui" | "rpc" | "json" | "print";

/** Values are those of the moment at which they are read. */
export interface ExtensionContext {
  ui: ExtensionUIContext;
  mode: ExtensionMode;
  /** Whether there is somebody to ask: a gate must block when it needs an answer and there is not. */
  hasUI: boolean;
  cwd: string;
  sessionManager: ReadonlySessionManager;
  modelRegistry: ModelRegistry;
  model: Model<any> | undefined;
  scopedModels: readonly { model: Model<any>; thinkingLevel?: ThinkingLevel }[];
  thinkingLevel?: ThinkingLevel;
  /** Fires when the run that is under way is stopped. */
  signal: AbortSignal | undefined;
  isIdle(): boolean;
  isProjectTrusted(): boolean;
  hasPendingMessages(): boolean;
  abort(): void;
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  getSystemPrompt(): string;
  compact(options?: { customInstructions?: string; onComplete?: (result: CompactionResult) => void; onError?: (error: Error) => void }): void;
}

/** What the fifth argument of `execute` has beside that. */
export interface ExtensionToolContext extends ExtensionContext {
  readonly tools: readonly AgentTool[];
  /** Runs another tool as a part of this call, under all rules. */
  executeTool(name: string, args: unknown, options?: { signal?: AbortSignal; onUpdate?: AgentToolUpdateCallback }): Promise<AgentToolCallOutcome>;
}

type Cancelled = { cancelled: boolean };

/** What commands have beside that. */
export interface ExtensionCommandContext extends ExtensionContext {
  getSystemPromptOptions(): SystemPromptOptions;
  waitForIdle(): Promise<void>;
  reload(): Promise<void>;
  newSession(options?: { parentSession?: string }): Promise<Cancelled>;
  fork(entryId: string, options?: { position?: "before" | "at" }): Promise<Cancelled>;
  switchSession(path: string): Promise<Cancelled>;
  navigateTree(
    targetId: string,
    options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<Cancelled>;
}

export type OutgoingMessage<D = unknown> = Pick<CustomMessage<D>, "customType" | "content" | "display" | "details">;
export interface DeliveryOptions {
  /** Starts a run if there is none. */
  triggerTurn?: boolean;
  /** `steer`: after the calls that run now; `followUp`: when the run would end; `nextTurn`: with the next prompt. */
  deliverAs?: "steer" | "followUp" | "nextTurn";
}

export interface SystemPromptOptions {
  cwd: string;
  selectedTools?: string[];
  skills?: { name: string; description: string; filePath: string; [field: string]: any }[];
  /** Sections of one's own, by name; text that is added here goes into the prompt. */
  sections: Record<string, string>;
  [option: string]: any;
}
export type BuildSystemPromptOptions = SystemPromptOptions;
