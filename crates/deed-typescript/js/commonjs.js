// CommonJS inside the isolate: `require`, and modules whose text is a function body.

import * as assert from "deed:modules/node/assert";
import * as assertStrict from "deed:modules/node/assert/strict";
import * as asyncHooks from "deed:modules/node/async_hooks";
import * as buffer from "deed:modules/node/buffer";
import * as childProcess from "deed:modules/node/child_process";
import * as console from "deed:modules/node/console";
import * as constants from "deed:modules/node/constants";
import * as crypto from "deed:modules/node/crypto";
import * as diagnosticsChannel from "deed:modules/node/diagnostics_channel";
import * as events from "deed:modules/node/events";
import * as fs from "deed:modules/node/fs";
import * as fsPromises from "deed:modules/node/fs/promises";
import * as os from "deed:modules/node/os";
import * as path from "deed:modules/node/path";
import * as pathPosix from "deed:modules/node/path/posix";
import * as pathWin32 from "deed:modules/node/path/win32";
import * as perfHooks from "deed:modules/node/perf_hooks";
import * as process from "deed:modules/node/process";
import * as querystring from "deed:modules/node/querystring";
import * as readline from "deed:modules/node/readline";
import * as readlinePromises from "deed:modules/node/readline/promises";
import * as stream from "deed:modules/node/stream";
import * as streamPromises from "deed:modules/node/stream/promises";
import * as streamWeb from "deed:modules/node/stream/web";
import * as stringDecoder from "deed:modules/node/string_decoder";
import * as timers from "deed:modules/node/timers";
import * as timersPromises from "deed:modules/node/timers/promises";
import * as tty from "deed:modules/node/tty";
import * as url from "deed:modules/node/url";
import * as util from "deed:modules/node/util";
import * as utilTypes from "deed:modules/node/util/types";
import * as workerThreads from "deed:modules/node/worker_threads";
import * as zlib from "deed:modules/node/zlib";
import * as cluster from "deed:modules/stubs/node/cluster";
import * as dgram from "deed:modules/stubs/node/dgram";
import * as dns from "deed:modules/stubs/node/dns";
import * as dnsPromises from "deed:modules/stubs/node/dns/promises";
import * as domain from "deed:modules/stubs/node/domain";
import * as http from "deed:modules/stubs/node/http";
import * as http2 from "deed:modules/stubs/node/http2";
import * as https from "deed:modules/stubs/node/https";
import * as inspector from "deed:modules/stubs/node/inspector";
import * as net from "deed:modules/stubs/node/net";
import * as punycode from "deed:modules/stubs/node/punycode";
import * as repl from "deed:modules/stubs/node/repl";
import * as tls from "deed:modules/stubs/node/tls";
import * as v8 from "deed:modules/stubs/node/v8";
import * as vm from "deed:modules/stubs/node/vm";
import * as wasi from "deed:modules/stubs/node/wasi";
import { isBuiltin } from "deed:builtins";
import { codedError } from "deed:errors";
import { op } from "deed:native";
import { fileURLToPath } from "deed:modules/node/url";
import { posix } from "deed:paths";

const BUILTINS = {
  assert,
  "assert/strict": assertStrict,
  "async_hooks": asyncHooks,
  buffer,
  "child_process": childProcess,
  console,
  constants,
  crypto,
  "diagnostics_channel": diagnosticsChannel,
  events,
  fs,
  "fs/promises": fsPromises,
  os,
  path,
  "path/posix": pathPosix,
  "path/win32": pathWin32,
  "perf_hooks": perfHooks,
  process,
  querystring,
  readline,
  "readline/promises": readlinePromises,
  stream,
  "stream/promises": streamPromises,
  "stream/web": streamWeb,
  "string_decoder": stringDecoder,
  timers,
  "timers/promises": timersPromises,
  tty,
  url,
  util,
  "util/types": utilTypes,
  "worker_threads": workerThreads,
  zlib,
  cluster,
  dgram,
  dns,
  "dns/promises": dnsPromises,
  domain,
  http,
  http2,
  https,
  inspector,
  net,
  punycode,
  repl,
  tls,
  v8,
  vm,
  wasi,
};

/** Files that ran or run, by path: a ring of files sees what is there so far, as in node. */
const loaded = new Map();
/** Modules of the host that `require` of a package name may meet, by name. */
const virtual = new Map();

/** Makes an ES module of the host reachable by `require`. */
export const provide = (name, namespace) => void virtual.set(name, namespace);

/** Returns what `require` gives for a module of node. */
export function requireBuiltin(name) {
  const short = name.replace(/^node:/, "");
  const namespace = BUILTINS[short];
  if (!namespace) throw codedError(Error, "ERR_UNKNOWN_BUILTIN_MODULE", `No such built-in module: ${name}`);
  return namespace.default ?? namespace;
}

function compile(source, filename) {
  const body = source.startsWith("#!") ? `//${source}` : source;
  return new Function("exports", "require", "module", "__filename", "__dirname", `${body}\n//# sourceURL=${filename}`);
}

/** Runs a file in CommonJS, once, and returns what it exports. */
export function requireFile(filename, source) {
  const known = loaded.get(filename);
  if (known) return known.exports;
  const module = { exports: {}, id: filename, filename, loaded: false, children: [], paths: [], path: posix.dirname(filename) };
  loaded.set(filename, module);
  const require = requireFrom(filename);
  module.require = require;
  try {
    const run = compile(source ?? op("module.source", { path: filename }).source, filename);
    run.call(module.exports, module.exports, require, module, filename, module.path);
  } catch (error) {
    loaded.delete(filename);
    throw error;
  }
  module.loaded = true;
  return module.exports;
}

function load(from, specifier) {
  if (isBuiltin(specifier)) return requireBuiltin(specifier);
  if (virtual.has(specifier)) return virtual.get(specifier);
  const { path, kind, source } = op("module.resolve", { from, specifier });
  if (kind === "json") return readJson(path, source);
  if (kind === "commonjs") return requireFile(path, source);
  throw codedError(Error, "ERR_REQUIRE_ESM", `require() of ${kind === "native" ? "native addon" : "ES Module"} ${path} from ${from} isn't supported by this host`);
}

function readJson(path, source) {
  if (!loaded.has(path)) loaded.set(path, { exports: JSON.parse(source.replace(/^\ufeff/, "")) });
  return loaded.get(path).exports;
}

/** Makes the `require` of a file, given its path or URL. */
export function requireFrom(from) {
  const file = from instanceof globalThis.URL || String(from).startsWith("file:") ? fileURLToPath(from) : String(from);
  const require = (specifier) => load(file, String(specifier));
  require.resolve = (specifier) => (isBuiltin(specifier) ? specifier : op("module.resolve", { from: file, specifier }).path);
  require.resolve.paths = () => [];
  require.cache = {};
  require.main = undefined;
  require.extensions = {};
  return require;
}
