// Messages, models, and requests to them.

import type { Static, TUnsafe } from "./typebox-builders";

export { Type } from "./typebox";
export type { Static, TSchema } from "./typebox-builders";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { [key: string]: JsonValue };

export interface TextContent {
  type: "text";
  text: string;
}

/** A picture; `data` is base64. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, any>;
}

/** Tokens that a request took, and what they cost in US dollars. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning?: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Milliseconds since 1970. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: Api;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
}

export interface ToolResultMessage<Details = any> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: Details;
  isError: boolean;
  usage?: Usage;
  timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/** What a model is asked. */
export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

export interface Tool {
  name: string;
  description: string;
  parameters: object;
}

/** The wire that a provider speaks. */
export type Api = string;
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
export type ModelType = "chat" | "image" | "classifier";

export interface Model<A extends Api = Api> {
  id: string;
  name: string;
  api: A;
  provider: string;
  baseUrl: string;
  type?: ModelType;
  reasoning: boolean;
  input: ("text" | "image")[];
  /** US dollars for a million tokens. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  contextWindow: number;
  maxTokens: number;
  headers?: Record<string, string>;
}

export interface RequestOptions {
  signal?: AbortSignal;
  maxTokens?: number;
  temperature?: number;
  reasoning?: ThinkingLevel;
  reasoningEffort?: ThinkingLevel;
  /** Keys belong to the host: what stands here is not looked at. */
  apiKey?: string;
  headers?: Record<string, string>;
  [option: string]: unknown;
}

/** Asks a model, outside of the session. */
export declare function complete(model: Model<any>, context: Context, options?: RequestOptions): Promise<AssistantMessage>;
export declare function completeSimple(model: Model<any>, context: Context, options?: RequestOptions): Promise<AssistantMessage>;

/** A text of a few, in the form that all providers take. */
export declare function StringEnum<const Values extends readonly string[]>(
  values: Values,
  options?: { description?: string; default?: Values[number] },
): TUnsafe<Values[number]>;

/** Makes an identifier that sorts by its time. */
export declare function uuidv7(timestampMs?: number): string;
/** The text of content, without pictures. */
export declare function contentText(content: string | readonly { type: string; text?: string }[], separator?: string): string;
export declare function calculateCost(model: Model<any>, usage: Usage): Usage["cost"];
export declare function getModelType(model: Model<any>): ModelType;
export declare function isModelType(model: Model<any>, type: ModelType): boolean;
export declare function modelsAreEqual(left: Model<any> | undefined | null, right: Model<any> | undefined | null): boolean;
export declare function hasApi<A extends Api>(model: Model<any>, api: A): model is Model<A>;
export declare const PI_AI_VERSION: string;
