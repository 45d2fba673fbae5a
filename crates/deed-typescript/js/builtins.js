// The names of node's modules, as this host knows them.

/** Modules with an implementation. */
export const supportedModules = ["assert", "assert/strict", "async_hooks", "buffer", "child_process", "console", "constants", "crypto", "diagnostics_channel", "events", "fs", "fs/promises", "module", "os", "path", "path/posix", "path/win32", "perf_hooks", "process", "querystring", "readline", "readline/promises", "stream", "stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tty", "url", "util", "util/types", "worker_threads", "zlib"];
/** Modules whose exports throw when they are used. */
export const stubbedModules = ["dns", "dns/promises", "domain", "http", "http2", "https", "inspector", "net", "punycode", "tls", "v8", "vm"];
export const builtinModules = [...supportedModules, ...stubbedModules].sort();
export const isBuiltin = (name) => builtinModules.includes(String(name).replace(/^node:/, ""));
