// Puts the globals that node's programs expect, and that the engine lacks, in their places.

import { Blob, File, FormData } from "deed:globals/blob";
import { Buffer } from "deed:globals/buffer";
import { structuredClone } from "deed:globals/clone";
import { console } from "deed:globals/console";
import { TextDecoder, TextEncoder } from "deed:globals/encoding";
import { AbortController, AbortSignal, CustomEvent, Event, EventTarget } from "deed:globals/events";
import { fetch, Request, Response } from "deed:globals/fetch";
import { Headers } from "deed:globals/headers";
import { installLocaleMethods, Intl } from "deed:globals/intl";
import { process } from "deed:globals/process";
import { clearImmediate, clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from "deed:globals/timers";
import { URL, URLSearchParams } from "deed:globals/url";
import { ReadableStream, TextDecoderStream, TextEncoderStream, TransformStream, WritableStream } from "deed:globals/web-stream";
import { webcrypto } from "deed:globals/webcrypto";

const GLOBALS = {
  AbortController,
  AbortSignal,
  Blob,
  Buffer,
  clearImmediate,
  clearInterval,
  clearTimeout,
  console,
  crypto: webcrypto,
  CustomEvent,
  Event,
  EventTarget,
  fetch,
  File,
  FormData,
  Headers,
  process,
  ReadableStream,
  Request,
  Response,
  setImmediate,
  setInterval,
  setTimeout,
  structuredClone,
  TextDecoder,
  TextDecoderStream,
  TextEncoder,
  TextEncoderStream,
  TransformStream,
  URL,
  URLSearchParams,
  WritableStream,
};

for (const [name, value] of Object.entries(GLOBALS)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
if (typeof globalThis.Intl === "undefined") {
  Object.defineProperty(globalThis, "Intl", { value: Intl, writable: true, configurable: true, enumerable: false });
  installLocaleMethods();
}
