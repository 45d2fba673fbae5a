// Checks values against JSON Schema, as far as the builders make it.

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const isRecord = (value) => typeOf(value) === "object";

const TYPES = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number" && Number.isFinite(value),
  void: (value) => value === undefined || value === null,
  constructor: (value) => typeof value === "function",
};
const hasType = (value, type) => (TYPES[type] ? TYPES[type](value) : typeOf(value) === type);

/** keyword: how it is checked; each gives faults. `walk` checks an inner value. */
const KEYWORDS = {
  type: (value, type) => ([type].flat().some((name) => hasType(value, name)) ? [] : [`must be ${[type].flat().join(" or ")}`]),
  const: (value, wanted) => (JSON.stringify(value) === JSON.stringify(wanted) ? [] : ["must be equal to constant"]),
  enum: (value, choices) => (choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value)) ? [] : ["must be equal to one of the allowed values"]),
  minLength: (value, least) => (typeof value === "string" && [...value].length < least ? [`must not have fewer than ${least} characters`] : []),
  maxLength: (value, most) => (typeof value === "string" && [...value].length > most ? [`must not have more than ${most} characters`] : []),
  pattern: (value, pattern) => (typeof value === "string" && !new RegExp(pattern, "u").test(value) ? [`must match pattern ${pattern}`] : []),
  minimum: (value, least) => (typeof value === "number" && value < least ? [`must be >= ${least}`] : []),
  maximum: (value, most) => (typeof value === "number" && value > most ? [`must be <= ${most}`] : []),
  exclusiveMinimum: (value, least) => (typeof value === "number" && value <= least ? [`must be > ${least}`] : []),
  exclusiveMaximum: (value, most) => (typeof value === "number" && value >= most ? [`must be < ${most}`] : []),
  multipleOf: (value, step) => (typeof value === "number" && Math.abs(value / step - Math.round(value / step)) > 1e-9 ? [`must be multiple of ${step}`] : []),
  minItems: (value, least) => (Array.isArray(value) && value.length < least ? [`must not have fewer than ${least} items`] : []),
  maxItems: (value, most) => (Array.isArray(value) && value.length > most ? [`must not have more than ${most} items`] : []),
  uniqueItems: (value, unique) => (unique && Array.isArray(value) && new Set(value.map((item) => JSON.stringify(item))).size < value.length ? ["must not have duplicate items"] : []),
  minProperties: (value, least) => (isRecord(value) && Object.keys(value).length < least ? [`must not have fewer than ${least} properties`] : []),
  maxProperties: (value, most) => (isRecord(value) && Object.keys(value).length > most ? [`must not have more than ${most} properties`] : []),
};

/** Adds the faults of a value to a list. */
function walk(value, schema, path, root, faults) {
  if (schema === true || typeof schema !== "object" || schema === null) {
    if (schema === false) faults.push({ path, message: "is not allowed" });
    return;
  }
  for (const [keyword, wanted] of Object.entries(schema)) {
    for (const message of KEYWORDS[keyword]?.(value, wanted) ?? []) faults.push({ path, message });
  }
  const passes = (part) => faultsOf(value, part, root).length === 0;
  if (schema.anyOf && !schema.anyOf.some(passes)) faults.push({ path, message: "must match a schema in anyOf" });
  if (schema.oneOf && schema.oneOf.filter(passes).length !== 1) faults.push({ path, message: "must match exactly one schema in oneOf" });
  if (schema.not && passes(schema.not)) faults.push({ path, message: "must not be valid" });
  for (const part of schema.allOf ?? []) walk(value, part, path, root, faults);
  if (schema.$ref) walk(value, resolve(schema, root), path, root.$defs ? root : schema, faults);
  for (const { check, message } of schema["~refine"] ?? []) if (!check(value)) faults.push({ path, message: String(message ?? "is not valid") });
  if (isRecord(value)) walkObject(value, schema, path, root, faults);
  if (Array.isArray(value)) walkList(value, schema, path, root, faults);
}

function resolve(schema, root) {
  const name = schema.$ref.replace(/^#\/\$defs\//, "");
  return (schema.$defs ?? root.$defs)?.[name] ?? (schema.$ref === "#" ? root : true);
}

function walkObject(value, schema, path, root, faults) {
  for (const key of schema.required ?? []) if (value[key] === undefined) faults.push({ path, message: `must have required property ${key}` });
  const patterns = Object.entries(schema.patternProperties ?? {}).map(([pattern, part]) => [new RegExp(pattern, "u"), part]);
  for (const [key, item] of Object.entries(value)) {
    const inner = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const matching = patterns.filter(([pattern]) => pattern.test(key));
    const known = Object.hasOwn(schema.properties ?? {}, key);
    if (known && item !== undefined) walk(item, schema.properties[key], inner, root, faults);
    for (const [, part] of matching) walk(item, part, inner, root, faults);
    if (!known && matching.length === 0 && schema.additionalProperties !== undefined) {
      if (schema.additionalProperties === false) faults.push({ path, message: `must not have additional property ${key}` });
      else walk(item, schema.additionalProperties, inner, root, faults);
    }
  }
}

function walkList(value, schema, path, root, faults) {
  const isTuple = Array.isArray(schema.items);
  value.forEach((item, index) => {
    const part = isTuple ? (schema.items[index] ?? schema.additionalItems) : schema.items;
    if (part !== undefined) walk(item, part, `${path}/${index}`, root, faults);
  });
}

/** Returns what is wrong with a value. */
export function faultsOf(value, schema, root = schema) {
  const faults = [];
  walk(value, schema, "", root, faults);
  return faults;
}
