// Patterns of texts: of keys of records, of template literals.

import { keysOf } from "deed:schema/derive";
import { kindOf, make, objectOf } from "deed:schema/make";

const NUMBER = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
const INTEGER = "-?(?:0|[1-9][0-9]*)";
const TEXT = ".*";
const SPANS = { string: TEXT, number: NUMBER, integer: INTEGER, bigint: `${INTEGER}n`, boolean: "(true|false)" };
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function patternOf(schema) {
  switch (kindOf(schema)) {
    case "Literal":
      return escape(String(schema.const));
    case "Union":
      return `(${schema.anyOf.map(patternOf).join("|")})`;
    case "Enum":
      return `(${schema.enum.map((value) => escape(String(value))).join("|")})`;
    case "TemplateLiteral":
      return schema.pattern.slice(1, -1);
    case "Number":
      return NUMBER;
    case "Integer":
      return INTEGER;
    case "BigInt":
      return SPANS.bigint;
    case "Boolean":
      return SPANS.boolean;
    default:
      return TEXT;
  }
}

function spanOf(text) {
  const name = text.trim();
  if (SPANS[name]) return SPANS[name];
  return `(${name.split("|").map((choice) => escape(choice.trim().replace(/^(['"`])(.*)\1$/, "$2"))).join("|")})`;
}

export function TemplateLiteral(parts, options) {
  const body = typeof parts === "string" ? parts.split(/(\$\{[^}]*\})/).map((part) => (part.startsWith("${") ? spanOf(part.slice(2, -1)) : escape(part))).join("") : parts.map(patternOf).join("");
  return make("TemplateLiteral", { type: "string", pattern: `^${body}$` }, options);
}

const KEY_PATTERNS = { String: `^${TEXT}$`, Any: `^${TEXT}$`, Number: `^${NUMBER}$`, Integer: `^${INTEGER}$` };

export function Record(key, value, options) {
  const kind = kindOf(key);
  const all = (keys) => objectOf(Object.fromEntries(keys.map((name) => [name, value])), options);
  if (kind === "Literal" || kind === "Union" || kind === "Enum") return all(keysOf(key));
  if (kind === "Boolean") return all(["true", "false"]);
  const pattern = kind === "TemplateLiteral" ? key.pattern : kind === "String" && key.pattern ? key.pattern : (KEY_PATTERNS[kind] ?? KEY_PATTERNS.String);
  return make("Record", { type: "object", patternProperties: { [pattern]: value } }, options);
}
