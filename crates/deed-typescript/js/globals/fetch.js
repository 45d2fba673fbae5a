// fetch over the host's operation. The body of an answer is pulled piece by piece.

import { utf8Decode, utf8Encode } from "deed:bytes";
import { messageOf } from "deed:errors";
import { Blob, bytesOfPart, encodeForm, FormData, joinBytes } from "deed:globals/blob";
import { AbortController, onAbort } from "deed:globals/events";
import { Headers } from "deed:globals/headers";
import { readDataUrl, URL, URLSearchParams } from "deed:globals/url";
import { ReadableStream } from "deed:globals/web-stream";
import { fromBase64, nextId, op, opAsync, toBase64 } from "deed:native";

/** Brings a body into one of three forms: nothing, bytes, a stream; with the type it implies. */
function readBody(body) {
  if (body === undefined || body === null) return { bytes: null, type: null };
  if (body instanceof ReadableStream) return { stream: body, type: null };
  if (body instanceof URLSearchParams) return { bytes: utf8Encode(body.toString()), type: "application/x-www-form-urlencoded;charset=UTF-8" };
  if (body instanceof FormData) return encodeForm(body);
  if (body instanceof Blob) return { bytes: bytesOfPart(body), type: body.type || null };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { bytes: bytesOfPart(body), type: null };
  if (typeof body[Symbol.asyncIterator] === "function") return { stream: ReadableStream.from(body), type: null };
  return { bytes: utf8Encode(String(body)), type: "text/plain;charset=UTF-8" };
}

async function drain(stream) {
  const parts = [];
  for await (const chunk of stream) parts.push(bytesOfPart(chunk));
  return joinBytes(parts);
}

class Body {
  #source;
  #stream = null;
  #used = false;

  constructor(body) {
    this.#source = readBody(body);
  }
  get impliedType() {
    return this.#source.type;
  }
  get body() {
    const { bytes, stream } = this.#source;
    if (bytes === null) return null;
    this.#stream ??= stream ?? ReadableStream.from([bytes]);
    return this.#stream;
  }
  get bodyUsed() {
    return this.#used || Boolean(this.#stream?.locked);
  }
  async bytes() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    if (this.#source.bytes === null) return new Uint8Array(0);
    this.#used = true;
    return this.#source.bytes ?? drain(this.body);
  }
  async text() {
    const { text } = utf8Decode(await this.bytes());
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async arrayBuffer() {
    return (await this.bytes()).slice().buffer;
  }
  async blob() {
    return new Blob([await this.bytes()], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    const form = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
    return form;
  }
  /** A second body of the same content. */
  fork() {
    if (this.bodyUsed) throw new TypeError("Body has already been read");
    const { bytes } = this.#source;
    if (bytes !== undefined) return bytes;
    const [mine, other] = this.body.tee();
    this.#stream = mine;
    this.#source = { stream: mine, type: this.#source.type };
    return other;
  }
}
Object.defineProperty(Body.prototype, "impliedType", { enumerable: false });

const METHODS = /^(delete|get|head|options|post|put)$/i;

export class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : null;
    super(init.body ?? (from ? from.fork() : null));
    this.url = from ? from.url : new URL(String(input)).href;
    const method = init.method ?? from?.method ?? "GET";
    this.method = METHODS.test(method) ? method.toUpperCase() : method;
    if (/^(GET|HEAD)$/.test(this.method) && init.body !== undefined && init.body !== null) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    this.headers = new Headers(init.headers ?? from?.headers);
    if (this.impliedType && !this.headers.has("content-type")) this.headers.set("content-type", this.impliedType);
    this.redirect = init.redirect ?? from?.redirect ?? "follow";
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
  }
  clone() {
    return new Request(this);
  }
}

export class Response extends Body {
  constructor(body = null, init = {}) {
    super(body);
    this.status = init.status ?? 200;
    if (init.status !== undefined && (this.status < 200 || this.status > 599)) throw new RangeError("init[\"status\"] must be in the range of 200 to 599, inclusive.");
    this.statusText = init.statusText ?? "";
    this.headers = new Headers(init.headers);
    if (this.impliedType && !this.headers.has("content-type")) this.headers.set("content-type", this.impliedType);
    this.url = init.url ?? "";
    this.redirected = init.redirected ?? false;
    this.type = "default";
  }
  get ok() {
    return this.status >= 200 && this.status < 300;
  }
  clone() {
    return new Response(this.fork(), this);
  }
  static json(value, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(JSON.stringify(value), { ...init, headers });
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: new URL(String(url)).href } });
  }
  static error() {
    const response = new Response();
    response.status = 0;
    response.type = "error";
    return response;
  }
}

function bodyOf(id, signal) {
  let stop = () => {};
  return new ReadableStream({
    start(controller) {
      stop = onAbort(signal, (reason) => {
        op("fetch.cancel", { id });
        controller.error(reason);
      });
    },
    async pull(controller) {
      const piece = await opAsync("fetch.read", { id });
      if (piece.done) {
        stop();
        controller.close();
      } else controller.enqueue(fromBase64(piece.base64));
    },
    cancel() {
      stop();
      op("fetch.cancel", { id });
    },
  });
}

async function send(request, id) {
  const body = request.body === null ? undefined : toBase64(await request.bytes());
  try {
    return await opAsync("fetch", { id, url: request.url, method: request.method, headers: [...request.headers], bodyBase64: body, redirect: request.redirect });
  } catch (error) {
    if (error.name === "UnsupportedError" || error.code === "ERR_ACCESS_DENIED") throw error;
    throw new TypeError("fetch failed", { cause: Object.assign(new Error(messageOf(error)), { code: error.code }) });
  }
}

const NO_BODY = new Set([101, 204, 205, 304]);

export async function fetch(input, init) {
  const request = new Request(input, init);
  const { signal } = request;
  signal.throwIfAborted();
  const data = readDataUrl(request.url);
  if (data) return new Response(data.bytes, { headers: { "content-type": data.type } });
  if (!/^https?:/.test(request.url)) throw new TypeError("fetch failed", { cause: new Error(`unknown scheme of ${request.url}`) });
  const id = nextId("fetch");
  const { promise: aborted, reject } = Promise.withResolvers();
  const stop = onAbort(signal, (reason) => {
    op("fetch.cancel", { id });
    reject(reason);
  });
  aborted.catch(() => {});
  try {
    const head = await Promise.race([send(request, id), aborted]);
    const empty = NO_BODY.has(head.status) || request.method === "HEAD";
    if (empty) op("fetch.cancel", { id });
    const response = new Response(empty ? null : bodyOf(id, signal), { ...head, status: undefined });
    response.status = head.status;
    response.type = "basic";
    return response;
  } finally {
    stop();
  }
}
