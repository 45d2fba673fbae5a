// Text of any value, in the form of node's util.inspect and util.format.

import { bytesToHex } from "deed:bytes";
import { stackOf } from "deed:errors";

export const CUSTOM = Symbol.for("nodejs.util.inspect.custom");
const DEFAULTS = { depth: 2, breakLength: 80, compact: 3, maxArrayLength: 100, maxStringLength: 10000, showHidden: false, sorted: false, getters: false };
const INDENT = 2;

const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\", "\x0b": "\\x0B" };

function quote(text) {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
  const body = text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, (c) => ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  const whole = body.isWellFormed() ? body : body.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return mark + (mark === "'" ? whole.replaceAll("'", "\\'") : whole) + mark;
}

function longString(text, context) {
  const most = context.maxStringLength ?? Infinity;
  const rest = text.length - most;
  const shown = rest > 0 ? text.slice(0, most) : text;
  const tail = rest > 0 ? `... ${rest} more character${rest > 1 ? "s" : ""}` : "";
  if (context.compact !== true && shown.length > 16 && shown.length > context.breakLength - context.indent - 4 && shown.includes("\n")) {
    const lines = shown.split(/(?<=\n)/).map(quote);
    return lines.join(` +\n${" ".repeat(context.indent + INDENT)}`) + tail;
  }
  return quote(shown) + tail;
}

const numberText = (number) => (Object.is(number, -0) ? "-0" : String(number));

function primitive(value, context) {
  switch (typeof value) {
    case "string":
      return longString(value, context);
    case "number":
      return numberText(value);
    case "bigint":
      return `${value}n`;
    case "symbol":
      return value.toString();
    default:
      return String(value);
  }
}

function constructorName(value) {
  for (let object = value; object; object = Object.getPrototypeOf(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, "constructor");
    if (typeof descriptor?.value === "function" && descriptor.value.name !== "") return descriptor.value.name;
  }
  return null;
}

function prefix(value, fallback, size) {
  const name = constructorName(value);
  const count = size === undefined ? "" : `(${size})`;
  const tag = value[Symbol.toStringTag];
  const shownTag = typeof tag === "string" && tag !== "" && tag !== (name ?? fallback) ? `[${tag}] ` : "";
  if (name === null) return `[${fallback}${count}: null prototype] ${shownTag}`;
  return `${name}${count} ${shownTag}`;
}

function functionText(value) {
  const source = Function.prototype.toString.call(value);
  const name = value.name;
  if (/^class\b/.test(source)) {
    const parent = Object.getPrototypeOf(value)?.name;
    return `[class ${name || "(anonymous)"}${parent ? ` extends ${parent}` : ""}]`;
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return `[${kind}${name ? `: ${name}` : " (anonymous)"}]`;
}

const keyText = (key) => (typeof key === "symbol" ? `[${key.toString()}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key));

function property(context, value, key, level, isItem) {
  const descriptor = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
  let text;
  if (descriptor.get) text = descriptor.set ? "[Getter/Setter]" : "[Getter]";
  else if (descriptor.set) text = "[Setter]";
  else {
    context.indent += INDENT;
    text = formatValue(context, descriptor.value, level);
    context.indent -= INDENT;
  }
  if (isItem) return text;
  return `${descriptor.enumerable ? keyText(key) : `[${String(key)}]`}: ${text}`;
}

function listItems(context, value, level) {
  const most = Math.min(context.maxArrayLength ?? Infinity, value.length);
  const out = [];
  let at = 0;
  while (at < value.length && out.length < most) {
    if (Object.hasOwn(value, at)) {
      out.push(property(context, value, String(at), level, true));
      at++;
      continue;
    }
    let holes = 0;
    while (at < value.length && !Object.hasOwn(value, at)) {
      holes++;
      at++;
    }
    out.push(`<${holes} empty item${holes > 1 ? "s" : ""}>`);
  }
  const rest = value.length - at;
  if (rest > 0) out.push(`... ${rest} more item${rest > 1 ? "s" : ""}`);
  return { out, more: rest > 0 };
}

function nested(context, value, level) {
  context.indent += INDENT;
  const text = formatValue(context, value, level);
  context.indent -= INDENT;
  return text;
}

function ownKeys(value, context, isList) {
  const keys = context.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter((key) => context.showHidden || Object.prototype.propertyIsEnumerable.call(value, key));
  const all = [...keys, ...symbols].filter((key) => !(isList && (/^\d+$/.test(String(key)) || (key === "length" && !Array.isArray(value)))));
  return context.sorted ? all.sort((a, b) => (typeof context.sorted === "function" ? context.sorted(a, b) : String(a) < String(b) ? -1 : 1)) : all;
}

const tagged = (value) => Object.prototype.toString.call(value).slice(8, -1);

function errorText(error, context) {
  const stack = stackOf(error) ?? "";
  const head = `${error.name}${error.message ? `: ${error.message}` : ""}`;
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const text = frames.length > 0 ? `${head}\n${frames.join("\n").trimEnd()}` : `[${head}]`;
  return context.indent > 0 ? text.replaceAll("\n", `\n${" ".repeat(context.indent)}`) : text;
}

/** Tells how an object of a known kind is shown: its braces, what stands before, what is in it. */
function shapeOf(value, context) {
  if (Array.isArray(value)) {
    const front = constructorName(value) === "Array" ? "" : prefix(value, "Array", value.length);
    return { braces: [`${front}[`, "]"], list: (level) => listItems(context, value, level), isList: true };
  }
  if (value instanceof Set) {
    return { braces: [`${prefix(value, "Set", value.size)}{`, "}"], items: (level) => [...value].map((item) => nested(context, item, level)) };
  }
  if (value instanceof Map) {
    const entry = (level) => ([key, item]) => `${nested(context, key, level)} => ${nested(context, item, level)}`;
    return { braces: [`${prefix(value, "Map", value.size)}{`, "}"], items: (level) => [...value].map(entry(level)) };
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return { braces: [`${prefix(value, tagged(value), value.length)}[`, "]"], list: (level) => listItems(context, value, level), isList: true };
  }
  if (value instanceof ArrayBuffer) {
    const hex = bytesToHex(new Uint8Array(value, 0, Math.min(50, value.byteLength))).replace(/..(?=.)/g, "$& ");
    return { braces: ["ArrayBuffer {", "}"], items: () => [`[Uint8Contents]: <${hex}>`, `byteLength: ${value.byteLength}`] };
  }
  if (typeof value === "function") return { base: functionText(value) };
  if (value instanceof RegExp) return { base: RegExp.prototype.toString.call(value) };
  if (value instanceof Date) return { base: Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString() };
  if (value instanceof Error) return { base: errorText(value, context), hidden: ["cause", "errors"].filter((key) => Object.hasOwn(value, key)) };
  if (value instanceof Promise) return { braces: ["Promise {", "}"], items: () => ["<pending>"] };
  if (value instanceof WeakMap || value instanceof WeakSet) return { braces: [`${constructorName(value)} {`, "}"], items: () => ["<items unknown>"] };
  for (const Kind of [Number, String, Boolean, BigInt, Symbol]) {
    if (value instanceof Kind) return { base: `[${Kind.name}: ${primitive(value.valueOf(), context)}]`, isList: Kind === String };
  }
  if (tagged(value) === "Arguments") return { braces: ["[Arguments] [", "]"], list: (level) => listItems(context, value, level), isList: true };
  const front = constructorName(value) === "Object" && value[Symbol.toStringTag] === undefined ? "" : prefix(value, "Object");
  return { braces: [`${front}{`, "}"] };
}

function custom(context, value, level) {
  const show = value[CUSTOM];
  if (typeof show !== "function" || show === inspect) return undefined;
  const { seen, indent, ...options } = context;
  const text = show.call(value, context.depth === null ? Infinity : context.depth - level, { ...options, stylize: (shown) => String(shown) }, inspect);
  return typeof text === "string" ? text.replaceAll("\n", `\n${" ".repeat(indent)}`) : formatValue(context, text, level);
}

function formatValue(context, value, level) {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(value, context);
  const own = custom(context, value, level);
  if (own !== undefined) return own;
  if (context.seen.includes(value)) {
    if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
    return `[Circular *${context.circular.get(value)}]`;
  }
  return formatObject(context, value, level);
}

const isEmpty = (value) => (Array.isArray(value) ? value.length === 0 : value instanceof Map || value instanceof Set ? value.size === 0 : !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer) && !(value instanceof Promise) && !(value instanceof WeakMap) && !(value instanceof WeakSet) && tagged(value) !== "Arguments");

function formatObject(context, value, level) {
  const shape = shapeOf(value, context);
  const keys = ownKeys(value, context, shape.isList);
  if (shape.hidden) keys.push(...shape.hidden.filter((key) => !keys.includes(key)));
  const braces = shape.braces ?? ["{", "}"];
  if (shape.base !== undefined && keys.length === 0) return shape.base;
  if (keys.length === 0 && isEmpty(value)) return `${braces[0]}${braces[1]}`;
  if (context.depth !== null && level > context.depth) {
    const name = Array.isArray(value) ? "Array" : (constructorName(value) ?? "Object: null prototype");
    return `[${name}]`;
  }
  context.seen.push(value);
  context.currentLevel = level;
  const listed = shape.list?.(level + 1);
  const output = listed?.out ?? shape.items?.(level + 1) ?? [];
  for (const key of keys) output.push(property(context, value, key, level + 1, false));
  context.seen.pop();
  const mark = context.circular.get(value);
  let base = shape.base ?? "";
  if (mark !== undefined) {
    if (base === "") braces[0] = `<ref *${mark}> ${braces[0]}`;
    else base = `<ref *${mark}> ${base}`;
  }
  if (output.length === 0 && base === "") return `${braces[0]}${braces[1]}`;
  return layOut(context, output, base, braces, level, listed, value);
}

function layOut(context, output, base, braces, level, listed, value) {
  const front = base === "" ? "" : `${base} `;
  const entries = output.length;
  const rows = listed && entries > 6 ? inColumns(context, output, listed.more, value) : output;
  if (context.currentLevel - level < context.compact && entries === rows.length) {
    const start = rows.length + context.indent + braces[0].length + base.length + 10;
    const total = rows.reduce((sum, row) => sum + row.length, rows.length + start);
    const fits = total <= context.breakLength && !base.includes("\n");
    const joined = rows.join(", ");
    if (fits && !joined.includes("\n")) return `${front}${braces[0]} ${joined} ${braces[1]}`;
  }
  const newline = `\n${" ".repeat(context.indent)}`;
  return `${front}${braces[0]}${newline}  ${rows.join(`,${newline}  `)}${newline}${braces[1]}`;
}

/** Puts the items of a long list into columns of one width each. */
function inColumns(context, output, more, value) {
  const items = more ? output.slice(0, -1) : output;
  const lengths = items.map((item) => item.length + 2);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const widest = Math.max(...lengths);
  if (widest * 3 + context.indent >= context.breakLength) return output;
  if (!(total / widest > 5 || widest <= 8)) return output;
  const bias = Math.sqrt(widest - total / output.length);
  const width = Math.max(widest - 3 - bias, 1);
  const columns = Math.min(Math.round(Math.sqrt(2.5 * width * items.length) / width), Math.floor((context.breakLength - context.indent) / widest), context.compact * 4, 15);
  if (columns <= 1) return output;
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...lengths.filter((_length, index) => index % columns === column)));
  const right = items.every((_item, index) => typeof value[index] === "number" || typeof value[index] === "bigint");
  const rows = [];
  for (let at = 0; at < items.length; at += columns) {
    const row = items.slice(at, at + columns);
    const last = row.length - 1;
    const cells = row.map((item, column) => {
      const cell = column === last ? item : `${item}, `;
      if (right) return cell.padStart(widths[column] - (column === last ? 2 : 0));
      return column === last ? cell : cell.padEnd(widths[column]);
    });
    rows.push(cells.join(""));
  }
  return more ? [...rows, output.at(-1)] : rows;
}

/** Returns the text of a value. */
export function inspect(value, options = {}, ...legacy) {
  const given = typeof options === "boolean" ? { showHidden: options, depth: legacy[0] ?? 2 } : (options ?? {});
  const context = { ...DEFAULTS, ...given, indent: 0, seen: [], circular: new Map(), currentLevel: 0 };
  if (context.depth === Infinity) context.depth = null;
  if (context.compact === false) context.compact = 0;
  return formatValue(context, value, 0);
}
inspect.custom = CUSTOM;
inspect.defaultOptions = DEFAULTS;
inspect.colors = {};
inspect.styles = {};

const shallow = (value) => inspect(value, { depth: 0, compact: 3 });

function stringOf(value) {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return String(value);
  const hasOwnText = !(value instanceof Error) && typeof value.toString === "function" && value.toString !== Object.prototype.toString && value.toString !== Array.prototype.toString && value.toString !== Date.prototype.toString;
  return hasOwnText || value instanceof Error ? String(value) : shallow(value);
}

const PLACES = {
  s: stringOf,
  d: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : numberText(Number(value))),
  i: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : numberText(Number.parseInt(value, 10))),
  f: (value) => (typeof value === "symbol" ? "NaN" : numberText(Number.parseFloat(value))),
  j: (value) => {
    try {
      return JSON.stringify(value);
    } catch (error) {
      if (/circular/i.test(error.message)) return "[Circular]";
      throw error;
    }
  },
  o: (value) => inspect(value, { showHidden: true, depth: 4 }),
  O: (value) => inspect(value),
  c: () => "",
};

/** Puts values into the places of a text; what is left over stands behind it. */
export function format(...args) {
  if (args.length === 0) return "";
  let used = 0;
  let text = "";
  if (typeof args[0] === "string") {
    used = 1;
    if (args.length === 1) return args[0];
    text = args[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
      if (kind === "%") return "%";
      return used < args.length ? PLACES[kind](args[used++]) : whole;
    });
  }
  const rest = args.slice(used).map((value) => (typeof value === "string" ? value : inspect(value)));
  return (typeof args[0] === "string" ? [text, ...rest] : rest).join(" ");
}
