// What is there without an import, beside the language itself. node's own modules, `process` and
// `Buffer` are declared by the package @types/node: `npm install --save-dev @types/node`.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: any) => any) | null;
  addEventListener(type: "abort", listener: (event: any) => any, options?: boolean | { once?: boolean }): void;
  removeEventListener(type: "abort", listener: (event: any) => any): void;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  new (): AbortSignal;
  abort(reason?: any): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
  any(signals: AbortSignal[]): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };

declare namespace NodeJS {
  interface Timeout {
    ref(): this;
    unref(): this;
    hasRef(): boolean;
    refresh(): this;
  }
}
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, milliseconds?: number, ...args: A): NodeJS.Timeout;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, milliseconds?: number, ...args: A): NodeJS.Timeout;
declare function clearTimeout(timeout: NodeJS.Timeout | string | number | undefined): void;
declare function clearInterval(timeout: NodeJS.Timeout | string | number | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

/** Lines for the diagnostics of the run; people see them with `--verbose`, warnings and errors always. */
interface Console {
  log(...data: any[]): void;
  debug(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
}
declare var console: Console;

interface URLSearchParams {
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
  toString(): string;
}
declare var URLSearchParams: { prototype: URLSearchParams; new (init?: string | Record<string, string> | string[][]): URLSearchParams };
interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
}
declare var URL: { prototype: URL; new (url: string | URL, base?: string | URL): URL; canParse(url: string, base?: string): boolean };

interface TextEncoder {
  encode(text?: string): Uint8Array;
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };
interface TextDecoder {
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string;
}
declare var TextDecoder: { prototype: TextDecoder; new (label?: string, options?: { fatal?: boolean }): TextDecoder };

interface Headers {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
}
declare var Headers: { prototype: Headers; new (init?: Record<string, string> | string[][]): Headers };
interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
}
interface RequestInit {
  method?: string;
  headers?: any;
  body?: any;
  redirect?: "follow" | "error" | "manual";
  signal?: AbortSignal | null;
}
/** Asks a host; the permission `net` is asked first, for each redirect too. */
declare function fetch(url: string | URL, init?: RequestInit): Promise<Response>;
