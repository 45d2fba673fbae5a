// process: what the host tells of itself, output to the host, no signals.

import { UnsupportedError, codedError, unsupported } from "deed:errors";
import { EventEmitter } from "deed:modules/node/events";
import { endings } from "deed:host/state";
import { hostInfo, log, op } from "deed:native";
import { utf8Decode } from "deed:bytes";

/** The version of node whose behaviour is followed. */
const NODE_VERSION = "22.19.0";

const info = hostInfo();
const begun = performance.now();
const textOf = (chunk) => (typeof chunk === "string" ? chunk : utf8Decode(chunk).text);

/** Environment variables are texts, as in node. */
const env = new Proxy(
  { ...info.env },
  {
    set(target, key, value) {
      target[key] = String(value);
      return true;
    },
    defineProperty(target, key, descriptor) {
      return Reflect.defineProperty(target, key, { ...descriptor, value: String(descriptor.value), writable: true, enumerable: true, configurable: true });
    },
  },
);

class Output extends EventEmitter {
  isTTY = false;
  writable = true;
  constructor(stream, fd) {
    super();
    this.stream = stream;
    this.fd = fd;
    this.columns = info.columns ?? 80;
    this.rows = info.rows ?? 24;
  }
  write(chunk, encoding, callback) {
    op("process.output", { stream: this.stream, text: textOf(chunk) });
    const done = typeof encoding === "function" ? encoding : callback;
    if (done) queueMicrotask(() => done());
    return true;
  }
  end(chunk, ...rest) {
    if (chunk !== undefined && typeof chunk !== "function") this.write(chunk, ...rest);
    return this;
  }
  getColorDepth() {
    return 1;
  }
  hasColors() {
    return false;
  }
  getWindowSize() {
    return [this.columns, this.rows];
  }
  cork() {}
  uncork() {}
}

class Input extends EventEmitter {
  isTTY = false;
  fd = 0;
  readable = false;
  setEncoding() {
    return this;
  }
  resume() {
    return this;
  }
  pause() {
    return this;
  }
  unref() {
    return this;
  }
  ref() {
    return this;
  }
  read() {
    return null;
  }
  setRawMode() {
    throw new UnsupportedError("'process.stdin.setRawMode'");
  }
}

function hrtime(before) {
  const nanoseconds = BigInt(Math.round((performance.now() - begun) * 1e6)) + 1_000_000_000n;
  const now = [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)];
  if (!before) return now;
  const seconds = now[0] - before[0];
  const rest = now[1] - before[1];
  return rest < 0 ? [seconds - 1, rest + 1e9] : [seconds, rest];
}
hrtime.bigint = () => BigInt(Math.round((performance.now() - begun) * 1e6)) + 1_000_000_000n;

class Process extends EventEmitter {
  title = "deed";
  env = env;
  pid = info.pid ?? 1;
  ppid = info.ppid ?? 0;
  platform = info.platform ?? "linux";
  arch = info.arch ?? "x64";
  argv = info.argv ?? [info.execPath ?? "deed"];
  argv0 = "deed";
  execArgv = [];
  execPath = info.execPath ?? "deed";
  exitCode = undefined;
  version = `v${NODE_VERSION}`;
  versions = { node: NODE_VERSION, deed: info.version ?? "" };
  release = { name: "node" };
  features = {};
  config = { variables: {} };
  stdout = new Output("stdout", 1);
  stderr = new Output("stderr", 2);
  stdin = new Input();
  hrtime = hrtime;
  cwd() {
    return info.cwd ?? "/";
  }
  chdir = unsupported("'process.chdir'");
  exit(code) {
    this.exitCode = code ?? this.exitCode ?? 0;
    op("process.exit", { code: Number(this.exitCode) });
    throw codedError(Error, "ERR_PROCESS_EXIT", "process.exit was called: the session is asked to end");
  }
  abort() {
    this.exit(134);
  }
  kill(pid, signal = "SIGTERM") {
    op("process.killPid", { pid, signal: String(signal) });
    return true;
  }
  nextTick(callback, ...args) {
    queueMicrotask(() => callback(...args));
  }
  uptime() {
    return (performance.now() - begun) / 1000;
  }
  memoryUsage() {
    return { rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 };
  }
  cpuUsage() {
    return { user: 0, system: 0 };
  }
  resourceUsage() {
    return {};
  }
  umask() {
    return 0o22;
  }
  emitWarning(warning) {
    log("warn", String(warning?.message ?? warning));
  }
  getuid() {
    return info.uid ?? 1000;
  }
  geteuid() {
    return this.getuid();
  }
  getgid() {
    return info.gid ?? 1000;
  }
  getegid() {
    return this.getgid();
  }
  binding = unsupported("'process.binding'");
  dlopen = unsupported("'process.dlopen'");
}
Object.defineProperty(Process.prototype, Symbol.toStringTag, { value: "process", configurable: true });

export const process = new Process();
endings.push(() => process.emit("exit", process.exitCode ?? 0));
