// typebox/value: checking, defaults, conversion.

import { isDeepStrictEqual } from "deed:deep-equal";
import * as stubs from "deed:modules/stubs/typebox-value";
import { faultsOf } from "deed:schema/check";

export * from "deed:modules/stubs/typebox-value";

const { structuredClone } = globalThis;

/** Old calls give the references first. */
const pair = (args) => (args.length > 2 ? [args[1], args[2]] : args);
const walkProperties = (schema, value, change) => {
  if (schema?.properties && typeof value === "object" && value !== null && !Array.isArray(value)) {
    for (const [key, part] of Object.entries(schema.properties)) {
      const next = change(part, value[key]);
      if (next !== undefined) value[key] = next;
    }
  }
  if (schema?.items && !Array.isArray(schema.items) && Array.isArray(value)) return value.map((item) => change(schema.items, item));
  return value;
};

export const Check = (...args) => faultsOf(pair(args)[1], pair(args)[0]).length === 0;
export const Errors = (...args) => faultsOf(pair(args)[1], pair(args)[0]).map(({ path, message }) => ({ instancePath: path, path, message }));
export const Clone = (value) => structuredClone(value);
export const Equal = isDeepStrictEqual;

export function Default(...args) {
  const [schema, value] = pair(args);
  const filled = value === undefined && schema?.default !== undefined ? structuredClone(schema.default) : value;
  return walkProperties(schema, filled, Default);
}

export function Convert(...args) {
  const [schema, value] = pair(args);
  if (schema?.type === "string" && ["number", "boolean", "bigint"].includes(typeof value)) return String(value);
  if ((schema?.type === "number" || schema?.type === "integer") && typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) return schema.type === "integer" ? Math.trunc(Number(value)) : Number(value);
  if (schema?.type === "boolean" && /^(true|false|1|0)$/i.test(String(value))) return /^(true|1)$/i.test(String(value));
  return walkProperties(schema, value, Convert);
}

export function Clean(...args) {
  const [schema, value] = pair(args);
  if (schema?.properties && typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) if (!Object.hasOwn(schema.properties, key) && !schema.additionalProperties && !schema.patternProperties) delete value[key];
  }
  return walkProperties(schema, value, Clean);
}

export class AssertError extends Error {
  constructor(source, value, errors) {
    super(`Assert: ${errors[0]?.message ?? "the value doesn't fit"}${errors[0]?.path ? ` at ${errors[0].path}` : ""}`);
    this.cause = { source, errors, value };
  }
}
export class ParseError extends AssertError {}

export function Assert(...args) {
  const [schema, value] = pair(args);
  const errors = Errors(schema, value);
  if (errors.length > 0) throw new AssertError("Assert", value, errors);
}

export function Parse(...args) {
  const [schema, value] = pair(args);
  const parsed = Clean(schema, Convert(schema, Default(schema, structuredClone(value))));
  const errors = Errors(schema, parsed);
  if (errors.length > 0) throw new ParseError("Parse", value, errors);
  return parsed;
}

const EMPTY = { string: () => "", number: () => 0, integer: () => 0, boolean: () => false, null: () => null, array: () => [] };
export function Create(schema) {
  if (schema.default !== undefined) return structuredClone(schema.default);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return Create(schema.anyOf[0]);
  if (schema.type === "object") return Object.fromEntries((schema.required ?? []).map((key) => [key, Create(schema.properties[key])]));
  return EMPTY[schema.type]?.();
}

export const Value = { ...stubs, Assert, Check, Clean, Clone, Convert, Create, Default, Equal, Errors, Parse };
export default Value;
