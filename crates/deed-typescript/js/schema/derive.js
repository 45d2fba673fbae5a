// Schemas made of other schemas: parts of objects, keys, choices.

import { copy, isOptional, kindOf, literalOf, make, mark, objectOf, unionOf } from "deed:schema/make";

/** Puts an intersection of objects into one object. */
export function evaluate(schema) {
  if (kindOf(schema) !== "Intersect") return schema;
  const parts = schema.allOf.map(evaluate);
  if (!parts.every((part) => kindOf(part) === "Object")) return schema;
  const properties = {};
  for (const part of parts) {
    for (const [key, value] of Object.entries(part.properties)) {
      if (!properties[key]) properties[key] = value;
      else {
        const both = make("Intersect", { allOf: [mark(properties[key], "~optional"), mark(value, "~optional")] });
        properties[key] = isOptional(properties[key]) && isOptional(value) ? mark(both, "~optional", true) : both;
      }
    }
  }
  return objectOf(properties);
}

/** Changes the properties of an object, of each in a union, of all in an intersection. */
function overProperties(schema, change, options) {
  if (kindOf(schema) === "Union") return make("Union", { anyOf: schema.anyOf.map((part) => overProperties(part, change)) }, options);
  const object = evaluate(schema);
  if (kindOf(object) !== "Object") return objectOf({}, options);
  return objectOf(change(object.properties), options);
}

const each = (change) => (properties) => Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, change(value)]));
const keep = (test) => (properties) => Object.fromEntries(Object.entries(properties).filter(([key]) => test(key)));

/** Reads a list of keys in any of its forms. */
export function keysOf(keys) {
  if (Array.isArray(keys)) return keys.map(String);
  if (typeof keys === "string" || typeof keys === "number") return [String(keys)];
  if (keys?.const !== undefined) return [String(keys.const)];
  if (keys?.anyOf) return keys.anyOf.flatMap(keysOf);
  return (keys?.enum ?? []).map(String);
}

export const Partial = (schema, options) => overProperties(schema, each((value) => mark(value, "~optional", true)), options);
export const Required = (schema, options) => overProperties(schema, each((value) => mark(value, "~optional")), options);
export const ReadonlyObject = (schema, options) => overProperties(schema, each((value) => mark(value, "~readonly", true)), options);
export const Pick = (schema, keys, options) => overProperties(schema, keep((key) => keysOf(keys).includes(key)), options);
export const Omit = (schema, keys, options) => overProperties(schema, keep((key) => !keysOf(keys).includes(key)), options);
export const Composite = (schemas, options) => objectOf(evaluate(make("Intersect", { allOf: schemas })).properties, options);
export const Interface = (heritage, properties, options) => objectOf({ ...Object.assign({}, ...heritage.map((part) => evaluate(part).properties)), ...properties }, options);
export const Evaluate = (schema, options) => Object.assign(copy(evaluate(schema)), options);

export function KeyOf(schema, options) {
  if (schema.type === "array" && Array.isArray(schema.items)) return unionOf(schema.items.map((_item, index) => literalOf(index)), options);
  return unionOf(Object.keys(evaluate(schema).properties ?? {}).map((key) => literalOf(key)), options);
}

export function Index(schema, keys, options) {
  if (schema.type === "array" && !Array.isArray(schema.items)) return schema.items;
  const types = Array.isArray(schema.items) ? schema.items : evaluate(schema).properties;
  const wanted = kindOf(keys) === "Number" || kindOf(keys) === "Integer" ? Object.keys(types) : keysOf(keys);
  return unionOf(wanted.filter((key) => types[key]).map((key) => mark(types[key], "~optional")), options);
}

/** Tells whether every value of one type is one of another, for simple types. */
export function isWithin(left, right) {
  const [a, b] = [kindOf(left), kindOf(right)];
  if (b === "Any" || b === "Unknown" || a === "Never") return true;
  if (a === "Union") return left.anyOf.every((part) => isWithin(part, right));
  if (b === "Union") return right.anyOf.some((part) => isWithin(left, part));
  if (a === "Literal") return b === "Literal" ? left.const === right.const : left.type === right.type || (b === "Integer" && Number.isInteger(left.const));
  if (a === "Integer" && b === "Number") return true;
  if (a === "TemplateLiteral" && b === "String") return true;
  if (a === "Object" && b === "Object") return Object.entries(right.properties).every(([key, value]) => (left.properties[key] ? isWithin(left.properties[key], value) : isOptional(value)));
  if (a === "Array" && b === "Array") return isWithin(left.items, right.items);
  return a === b;
}

const members = (schema) => (kindOf(schema) === "Union" ? schema.anyOf : kindOf(schema) === "Enum" ? schema.enum.map((value) => literalOf(value)) : [schema]);
export const Exclude = (from, what, options) => unionOf(members(from).filter((part) => !isWithin(part, what)), options);
export const Extract = (from, what, options) => unionOf(members(from).filter((part) => isWithin(part, what)), options);
export const NonNullable = (schema, options) => unionOf(members(schema).filter((part) => kindOf(part) !== "Null" && kindOf(part) !== "Undefined"), options);
export const Conditional = (left, right, yes, no) => (isWithin(left, right) ? yes : no);

/** Changes the texts of literals. */
export const overText = (change) => {
  const run = (schema, options) => {
    if (kindOf(schema) === "Literal" && typeof schema.const === "string") return literalOf(change(schema.const), options);
    if (kindOf(schema) === "Union") return make("Union", { anyOf: schema.anyOf.map((part) => run(part)) }, options);
    return schema;
  };
  return run;
};
