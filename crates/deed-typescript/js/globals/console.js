// console: everything goes to the host's diagnostics, never to the terminal.

import { builtIn, log } from "deed:native";

// Loaded with the first value that is no text.
const inspect = (...args) => builtIn("inspect").inspect(...args);
const isPlain = (args) => args.length === 1 && typeof args[0] === "string";
const format = (...args) => (isPlain(args) ? args[0] : builtIn("inspect").format(...args));

const counts = new Map();
const times = new Map();
let indent = "";

const say = (level, args) => log(level, format(...args).replace(/^/gm, indent));
const level = (name) => (...args) => say(name, args);
const since = (label) => `${label}: ${(performance.now() - times.get(label)).toFixed(3)}ms`;

function table(data, columns) {
  if (typeof data !== "object" || data === null) return say("info", [data]);
  const rows = Object.entries(data);
  const names = columns ?? [...new Set(rows.flatMap(([, row]) => (typeof row === "object" && row ? Object.keys(row) : [])))];
  const cells = rows.map(([key, row]) => [key, ...(typeof row === "object" && row ? names.map((name) => (name in row ? inspect(row[name]) : "")) : [inspect(row)])]);
  say("info", [[["(index)", ...names], ...cells].map((row) => row.join(" | ")).join("\n")]);
}

export const console = {
  log: level("info"),
  info: level("info"),
  debug: level("debug"),
  warn: level("warn"),
  error: level("error"),
  trace: (...args) => say("debug", [`Trace: ${format(...args)}\n${new Error().stack ?? ""}`]),
  dir: (value, options) => say("info", [inspect(value, options)]),
  dirxml: level("info"),
  table,
  assert(condition, ...args) {
    if (!condition) say("error", [`Assertion failed${args.length > 0 ? `: ${format(...args)}` : ""}`]);
  },
  count(label = "default") {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    say("info", [`${label}: ${counts.get(label)}`]);
  },
  countReset: (label = "default") => void counts.delete(label),
  group(...args) {
    if (args.length > 0) say("info", args);
    indent += "  ";
  },
  groupCollapsed: (...args) => console.group(...args),
  groupEnd() {
    indent = indent.slice(2);
  },
  time: (label = "default") => void times.set(label, performance.now()),
  timeLog(label = "default", ...args) {
    if (times.has(label)) say("info", [since(label), ...args]);
  },
  timeEnd(label = "default") {
    if (times.has(label)) say("info", [since(label)]);
    times.delete(label);
  },
  clear() {},
};
