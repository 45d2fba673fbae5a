// node:child_process over the host's processes. Output is pulled, piece by piece.

import { codedError, guarded, UnsupportedError, unsupported } from "deed:errors";
import { spawnError } from "deed:fs-errors";
import { Buffer } from "deed:globals/buffer";
import { onAbort } from "deed:globals/events";
import { clearTimeout, setTimeout } from "deed:globals/timers";
import { EventEmitter } from "deed:modules/node/events";
import { constants } from "deed:modules/node/os";
import { Readable, Writable } from "deed:modules/node/stream";
import { fileURLToPath } from "deed:modules/node/url";
import { fromBase64, log, nextId, op, opAsync, toBase64 } from "deed:native";

export * from "deed:modules/stubs/node/child_process";

const DEFAULT_MAX_BUFFER = 1024 * 1024;
const { URL } = globalThis;
const living = new Set();

const signalName = (signal = "SIGTERM") => {
  if (typeof signal !== "number") return signal;
  return Object.keys(constants.signals).find((name) => constants.signals[name] === signal) ?? String(signal);
};
const folderOf = (cwd) => (cwd instanceof URL ? fileURLToPath(cwd) : cwd);
const envOf = (env) => env && Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));

/** Brings `stdio` into a list of three kinds. */
function stdioOf(stdio = "pipe") {
  const list = typeof stdio === "string" ? [stdio, stdio, stdio] : [0, 1, 2].map((fd) => stdio[fd]);
  return list.map((kind) => {
    if (kind === undefined || kind === null || kind === "overlapped") return "pipe";
    if (kind === "pipe" || kind === "ignore" || kind === "inherit") return kind;
    if (typeof kind === "number" || typeof kind?.fd === "number") return "inherit";
    throw new UnsupportedError(`stdio '${kind}' of a child process`);
  });
}

function normal(command, args, options) {
  if (typeof command !== "string") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "file" argument must be of type string. Received ${command === undefined ? "undefined" : typeof command}`);
  if (command === "") throw codedError(TypeError, "ERR_INVALID_ARG_VALUE", "The argument 'file' cannot be empty. Received ''");
  const list = Array.isArray(args) ? args.map(String) : [];
  const settings = (Array.isArray(args) || args === undefined || args === null ? options : args) ?? {};
  return [command, list, settings];
}

export class ChildProcess extends EventEmitter {
  #id = nextId("child");
  #running = false;
  #clean = [];
  #letGo = false;

  constructor() {
    super();
    Object.assign(this, { pid: undefined, exitCode: null, signalCode: null, killed: false, connected: false, stdin: null, stdout: null, stderr: null });
  }

  /** Starts it; a program that cannot be started is an 'error' event. */
  start(command, args, options) {
    const stdio = stdioOf(options.stdio);
    this.spawnfile = command;
    this.spawnargs = [options.argv0 ?? command, ...args];
    let failure;
    try {
      const { pid } = op("process.spawn", { id: this.#id, command, args, cwd: folderOf(options.cwd), env: envOf(options.env), shell: options.shell ?? false, stdio, detached: Boolean(options.detached), uid: options.uid, gid: options.gid });
      this.#running = true;
      this.pid = pid ?? undefined;
    } catch (error) {
      failure = spawnError(error, "spawn", command, args);
    }
    if (stdio[0] === "pipe") this.stdin = this.#input(failure);
    if (stdio[1] === "pipe") this.stdout = new Readable({ read() {} });
    if (stdio[2] === "pipe") this.stderr = new Readable({ read() {} });
    this.stdio = [this.stdin, this.stdout, this.stderr];
    if (failure) {
      queueMicrotask(() => {
        this.exitCode = failure.errno ?? -1;
        this.emit("error", failure);
        this.#endOutput();
        this.emit("close", this.exitCode, null);
      });
      return this;
    }
    living.add(this);
    queueMicrotask(() => this.emit("spawn"));
    this.#limit(options);
    this.#run();
    return this;
  }

  #input(failure) {
    const id = this.#id;
    return new Writable({
      write(chunk, _encoding, callback) {
        if (failure) return callback();
        opAsync("process.write", { id, base64: toBase64(chunk) }).then(() => callback(), (error) => callback(Object.assign(error, { code: error.code ?? "EPIPE" })));
      },
      final(callback) {
        try {
          if (!failure) op("process.closeStdin", { id });
          callback();
        } catch (error) {
          callback(error);
        }
      },
    });
  }

  #limit({ signal, timeout, killSignal, letGo }) {
    this.#clean.push(
      onAbort(signal, (reason) => {
        if (this.kill(killSignal)) this.emit("error", codedError(Error, "ABORT_ERR", "The operation was aborted", { name: "AbortError", cause: reason }));
      }),
    );
    if (timeout > 0) {
      const timer = setTimeout(() => (letGo ? this.killAndLetGo(killSignal) : this.kill(killSignal)), timeout);
      this.#clean.push(() => clearTimeout(timer));
    }
  }

  async #run() {
    try {
      for (;;) {
        const event = await opAsync("process.next", { id: this.#id });
        if (event.type === "close") break;
        if (event.type === "exit") {
          this.#exited(event);
          if (this.#letGo) break;
        }
        else if (!this.#letGo) this[event.type]?.push(Buffer.view(fromBase64(event.base64)));
      }
    } catch (error) {
      log("error", `a child process was lost: ${error.message}`);
      if (this.exitCode === null && this.signalCode === null) this.#exited({ code: null, signal: "SIGKILL" });
    }
    living.delete(this);
    await this.#endOutput();
    this.emit("close", this.exitCode, this.signalCode);
  }
  #exited({ code, signal }) {
    this.#running = false;
    this.exitCode = signal ? null : code;
    this.signalCode = signal ?? null;
    for (const clean of this.#clean.splice(0)) clean();
    this.stdin?.destroy();
    this.emit("exit", this.exitCode, this.signalCode);
  }
  /** Ends the output and waits until those who listen have read it. */
  #endOutput() {
    const streams = [this.stdout, this.stderr].filter((stream) => stream && !stream.destroyed);
    return Promise.all(
      streams.map((stream) => {
        const ended = new Promise((resolve) => stream.once("close", resolve));
        stream.push(null);
        if (stream.readableFlowing === null && stream.listenerCount("readable") === 0) stream.resume();
        return ended;
      }),
    );
  }

  kill(signal) {
    if (!this.#running) return false;
    const { sent } = op("process.kill", { id: this.#id, signal: signalName(signal) });
    this.killed ||= sent;
    return sent;
  }
  /** Kills it and wants no more of its output, which what it started may hold open. */
  killAndLetGo(signal) {
    this.#letGo = true;
    this.stdout?.destroy();
    this.stderr?.destroy();
    return this.kill(signal);
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  send() {
    throw new UnsupportedError("messages to a child process");
  }
  disconnect() {
    throw new UnsupportedError("messages to a child process");
  }
  [Symbol.dispose]() {
    this.kill();
  }
}

export function spawn(command, args, options) {
  const [file, list, settings] = normal(command, args, options);
  return new ChildProcess().start(file, list, settings);
}

/** Collects one stream up to a limit. */
function collect(stream, encoding, limit, overflow) {
  const parts = [];
  let size = 0;
  stream?.on("data", (chunk) => {
    const room = Math.max(0, limit - size);
    size += chunk.length;
    if (room > 0) parts.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (size > limit) overflow();
  });
  return () => (encoding === "buffer" || encoding === null ? Buffer.concat(parts) : Buffer.concat(parts).toString(encoding ?? "utf8"));
}

function commandError(child, command, failure, stdout, stderr) {
  const error = failure ?? new Error(`Command failed: ${command}\n${stderr}`);
  if (!failure) Object.assign(error, { code: child.exitCode, killed: child.killed, signal: child.signalCode, cmd: command });
  else error.cmd = command;
  return Object.assign(error, { stdout, stderr });
}

function runWithCallback(command, args, options, callback, shown) {
  const child = spawn(command, args, { ...options, stdio: "pipe", letGo: true });
  const limit = options.maxBuffer ?? DEFAULT_MAX_BUFFER;
  let failure;
  const overflow = (name) => () => {
    failure ??= codedError(RangeError, "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`);
    child.killAndLetGo(options.killSignal);
  };
  const stdout = collect(child.stdout, options.encoding, limit, overflow("stdout"));
  const stderr = collect(child.stderr, options.encoding, limit, overflow("stderr"));
  child.on("error", (error) => (failure ??= error));
  child.on("close", (code, signal) => {
    const [out, err] = [stdout(), stderr()];
    if (!failure && code === 0 && signal === null) callback?.(null, out, err);
    else callback?.(commandError(child, shown, failure, out, err), out, err);
  });
  return child;
}

const withoutCallback = (list) => {
  const at = list.findIndex((value) => typeof value === "function");
  return at < 0 ? [list, undefined] : [list.slice(0, at), list[at]];
};

export function exec(command, ...rest) {
  const [[options], callback] = withoutCallback(rest);
  return runWithCallback(command, [], { ...options, shell: options?.shell ?? true }, callback, command);
}

export function execFile(file, ...rest) {
  const [given, callback] = withoutCallback(rest);
  const [command, args, options] = normal(file, given[0], given[1]);
  return runWithCallback(command, args, options, callback, [command, ...args].join(" "));
}

const promised = (run) => (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => {
    child = run(...args, (error, stdout, stderr) => (error ? reject(error) : resolve({ stdout, stderr })));
  });
  return Object.assign(promise, { child });
};
const custom = Symbol.for("nodejs.util.promisify.custom");
Object.defineProperty(exec, custom, { value: promised(exec) });
Object.defineProperty(execFile, custom, { value: promised(execFile) });

function runSync(command, args, options) {
  const stdio = stdioOf(options.stdio);
  const input = options.input === undefined || options.input === null ? undefined : toBase64(typeof options.input === "string" ? Buffer.from(options.input) : options.input);
  const answer = op("process.execSync", { command, args, shell: options.shell ?? false, cwd: folderOf(options.cwd), env: envOf(options.env), inputBase64: input, timeoutMs: options.timeout || undefined, maxBuffer: options.maxBuffer ?? DEFAULT_MAX_BUFFER, killSignal: signalName(options.killSignal), stdio });
  const text = (base64, kind) => {
    if (kind !== "pipe") return null;
    const bytes = Buffer.view(fromBase64(base64));
    return options.encoding && options.encoding !== "buffer" ? bytes.toString(options.encoding) : bytes;
  };
  const [stdout, stderr] = [text(answer.stdout, stdio[1]), text(answer.stderr, stdio[2])];
  const result = { pid: answer.pid ?? 0, output: [null, stdout, stderr], stdout, stderr, status: answer.code ?? null, signal: answer.signal ?? null };
  if (answer.error && result.status === null && result.signal === null) result.output = result.stdout = result.stderr = null;
  if (answer.error) result.error = spawnError(Object.assign(new Error(answer.error.message), answer.error), "spawnSync", command, args);
  return result;
}

export function spawnSync(command, args, options) {
  const [file, list, settings] = normal(command, args, options);
  try {
    return runSync(file, list, settings);
  } catch (error) {
    if (error.code === undefined || error.name === "UnsupportedError") throw error;
    return { pid: 0, output: null, stdout: null, stderr: null, status: null, signal: null, error: spawnError(error, "spawnSync", file, list) };
  }
}

function orThrow(result, shown) {
  if (result.error) {
    const { error, output, stdout, stderr, ...rest } = result;
    throw Object.assign(error, rest, output === null ? {} : { output, stdout, stderr });
  }
  if (result.status === 0) return result.stdout;
  const text = result.stderr === null ? "" : result.stderr.toString();
  throw Object.assign(new Error(`Command failed: ${shown}${text === "" ? "" : `\n${text}`}`), result);
}

/** What the program says as errors goes to the host unless it is wanted. */
function withErrorsShown(options, run) {
  const result = run({ ...options, stdio: options.stdio ?? "pipe" });
  if (options.stdio === undefined && result.stderr?.length > 0) op("process.output", { stream: "stderr", text: result.stderr.toString() });
  return result;
}

export function execSync(command, options = {}) {
  return orThrow(withErrorsShown(options, (settings) => spawnSync(command, [], { ...settings, shell: options.shell ?? true })), command);
}

export function execFileSync(file, args, options) {
  const [command, list, settings] = normal(file, args, options);
  return orThrow(withErrorsShown(settings, (given) => spawnSync(command, list, given)), [command, ...list].join(" "));
}

export const fork = unsupported("'fork' from 'node:child_process'");

/** Ends all children of this isolate. */
export function endChildren() {
  for (const child of living) child.kill("SIGKILL");
}

export default guarded({ ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync }, "child_process");
