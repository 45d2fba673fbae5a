// Tools: how one is defined, and the built-in ones.

import type { AgentToolResult, AgentToolUpdateCallback, ToolExecutionMode } from "./pi-agent-core";
import type { ExtensionToolContext, Theme } from "./context";
import type { Component } from "./pi-tui";
import type { Static, TInteger, TNumber, TObject, TOptional, TSchema, TString } from "./typebox-builders";

/** How a renderer is to draw. */
export interface ToolRenderResultOptions {
  expanded: boolean;
  /** Whether more is to come. */
  isPartial: boolean;
}

export interface ToolRenderContext<State = any, Args = any> {
  args: Args;
  toolCallId: string;
  /** Shared by the renderers of one call. */
  state: State;
  cwd: string;
  executionStarted: boolean;
  argsComplete: boolean;
  isPartial: boolean;
  expanded: boolean;
  isError: boolean;
  showImages: boolean;
  durationMs: number | undefined;
  outputPad: number;
  /** What the renderer returned the last time. */
  lastComponent: Component | undefined;
  invalidate(): void;
  keyText(keybinding: string): string;
  keyHint(keybinding: string, description: string): string;
}

export interface ToolDefinition<Params extends TSchema = TSchema, Details = unknown, State = any> {
  /** What the model calls it: letters, digits, `_`, `-`. */
  name: string;
  /** What people read. */
  label: string;
  /** What the model reads: when to use it, and what comes back. */
  description: string;
  /** One line for the list of tools in the system prompt; without it the tool is not in that list. */
  promptSnippet?: string;
  promptGuidelines?: string[];
  /** Make it narrow: named properties with descriptions, `additionalProperties: false`. */
  parameters: Params;
  /** `sequential`: no other call of the same batch runs meanwhile. For tools that change something. */
  executionMode?: ToolExecutionMode;
  /** `safe`: after a crash the call may run again. Not in Pi's types. */
  replay?: "never" | "safe";
  /** `self`: drawn without the frame of tools. */
  renderShell?: "default" | "self";
  /** Brings arguments of a known wrong shape into the right one, before they are checked. */
  prepareArguments?: (args: unknown) => Static<Params>;
  /** Does it. What it throws is the error that the model sees. Pass `signal` on to all that waits. */
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdateCallback<Details> | undefined,
    ctx: ExtensionToolContext,
  ): Promise<AgentToolResult<Details>>;
  renderCall?: (args: Static<Params>, theme: Theme, context: ToolRenderContext<State, Static<Params>>) => Component;
  renderResult?: (
    result: AgentToolResult<Details>,
    options: ToolRenderResultOptions,
    theme: Theme,
    context: ToolRenderContext<State, Static<Params>>,
  ) => Component;
  /** Fields of Pi's that are taken and not used here. */
  annotations?: object;
  constrainedSampling?: false | object;
  defaultActive?: boolean;
  exposure?: string;
  outputSchema?: TSchema;
}

type AnyDefinition = ToolDefinition<any, any, any>;
export type ToolRenderers = Pick<AnyDefinition, "renderShell" | "renderCall" | "renderResult">;
export type ToolRendererResolver = (toolName: string, next: () => ToolRenderers | undefined) => ToolRenderers | undefined;

/** Keeps the types of a definition; does nothing else. */
export declare function defineTool<Params extends TSchema, Details = unknown, State = any>(
  tool: ToolDefinition<Params, Details, State>,
): ToolDefinition<Params, Details, State> & AnyDefinition;

export interface ToolInfo {
  name: string;
  description: string;
  parameters: object;
  promptGuidelines?: string[];
  sourceInfo: SourceInfo;
}
export interface SourceInfo {
  path: string;
  source: string;
  scope: string;
  origin: string;
  baseDir?: string;
}

export interface BashToolInput { command: string; timeout?: number }
export interface ReadToolInput { path: string; offset?: number; limit?: number }
export interface WriteToolInput { path: string; content: string }
export interface EditToolInput { path: string; edits: { oldText: string; newText: string }[] }
export interface GrepToolInput { pattern: string; path?: string; glob?: string; ignoreCase?: boolean; literal?: boolean; context?: number; limit?: number }
export interface FindToolInput { pattern: string; path?: string; limit?: number }
export interface LsToolInput { path?: string; limit?: number }
export type PowerShellToolInput = BashToolInput;

/** What was cut, and why. */
export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}
interface Truncated { truncation?: TruncationResult }
export interface BashToolDetails extends Truncated { fullOutputPath?: string }
export type PowerShellToolDetails = BashToolDetails;
export interface ReadToolDetails extends Truncated { imageUnsupportedByModel?: string }
export interface EditToolDetails { diff: string; patch: string; firstChangedLine?: number }
export interface GrepToolDetails extends Truncated { matchLimitReached?: number; linesTruncated?: boolean }
export interface FindToolDetails extends Truncated { resultLimitReached?: number }
export interface LsToolDetails extends Truncated { entryLimitReached?: number }

type Soon<T> = Promise<T> | T;
type Bytes = Uint8Array;
/** Where a built-in tool does its work, if not in the host's own file system. Paths are absolute. */
export interface BashOperations {
  exec(
    command: string,
    cwd: string,
    options: { onData: (data: any) => void; signal?: AbortSignal; timeout?: number; env?: Record<string, string | undefined> },
  ): Promise<{ exitCode: number | null }>;
}
export interface ReadOperations {
  readFile(path: string): Promise<Bytes>;
  access(path: string): Promise<void>;
  detectImageMimeType?(path: string): Promise<string | null | undefined>;
}
export interface WriteOperations {
  writeFile(path: string, content: string): Promise<void>;
  mkdir(folder: string): Promise<void>;
}
export interface EditOperations {
  readFile(path: string): Promise<Bytes>;
  writeFile(path: string, content: string): Promise<void>;
  access(path: string): Promise<void>;
}
export interface GrepOperations {
  isDirectory(path: string): Soon<boolean>;
  readFile?(path: string): Soon<string>;
}
export interface FindOperations {
  exists(path: string): Soon<boolean>;
  glob(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Soon<string[]>;
}
export interface LsOperations {
  exists(path: string): Soon<boolean>;
  stat(path: string): Soon<{ isDirectory(): boolean }>;
  readdir(path: string): Soon<string[]>;
}

export interface BashSpawnContext { command: string; cwd: string; env: Record<string, string | undefined> }
export interface BashToolOptions {
  operations?: BashOperations;
  commandPrefix?: string;
  shellPath?: string;
  spawnHook?: (context: BashSpawnContext) => BashSpawnContext;
}
interface WithOperations<Operations> { operations?: Operations }
/** A definition whose `execute` can also be called by hand. */
export interface BuiltInTool<Params extends TSchema, Details> extends Omit<ToolDefinition<Params, Details>, "execute"> {
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<any>,
    ctx?: ExtensionToolContext,
  ): Promise<AgentToolResult<Details>>;
}
type Maker<Input extends TSchema, Details, Options> = (cwd: string, options?: Options) => BuiltInTool<Input, Details>;
type Paged<More extends Record<string, TSchema>> = TObject<More & { path: TOptional<TString>; limit: TOptional<TInteger> }>;

type BashMaker = Maker<TObject<{ command: TString; timeout: TOptional<TNumber> }>, BashToolDetails | undefined, BashToolOptions>;
type ReadMaker = Maker<TObject<{ path: TString; offset: TOptional<TInteger>; limit: TOptional<TInteger> }>, ReadToolDetails | undefined, WithOperations<ReadOperations>>;
type WriteMaker = Maker<TObject<{ path: TString; content: TString }>, undefined, WithOperations<WriteOperations>>;
type EditMaker = Maker<TSchema & { readonly "~static": EditToolInput }, EditToolDetails | undefined, WithOperations<EditOperations>>;
type GrepMaker = Maker<TSchema & { readonly "~static": GrepToolInput }, GrepToolDetails | undefined, WithOperations<GrepOperations>>;
type FindMaker = Maker<Paged<{ pattern: TString }>, FindToolDetails | undefined, WithOperations<FindOperations>>;
type LsMaker = Maker<Paged<{}>, LsToolDetails | undefined, WithOperations<LsOperations>>;
/** The built-in tools as definitions, to be registered anew with something changed. */
export declare const createBashTool: BashMaker, createBashToolDefinition: BashMaker;
export declare const createPowerShellTool: BashMaker, createPowerShellToolDefinition: BashMaker;
export declare const createReadTool: ReadMaker, createReadToolDefinition: ReadMaker;
export declare const createWriteTool: WriteMaker, createWriteToolDefinition: WriteMaker;
export declare const createEditTool: EditMaker, createEditToolDefinition: EditMaker;
export declare const createGrepTool: GrepMaker, createGrepToolDefinition: GrepMaker;
export declare const createFindTool: FindMaker, createFindToolDefinition: FindMaker;
export declare const createLsTool: LsMaker, createLsToolDefinition: LsMaker;
export declare function createCodingTools(cwd: string, options?: object): AnyDefinition[];
export declare function createReadOnlyTools(cwd: string, options?: object): AnyDefinition[];
/** Runs commands of a shell on this machine, as `bash` does. */
export declare function createLocalBashOperations(options?: { shellPath?: string }): BashOperations;
