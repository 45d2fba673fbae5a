// How schemas are made: plain JSON Schema, with hidden marks that JSON does not show.

const hide = (object, key, value) => Object.defineProperty(object, key, { value, writable: true, configurable: true, enumerable: false });

/** Makes a schema of a kind; `options` stand behind what the kind itself says. */
export function make(kind, json, options = {}) {
  return hide({ ...json, ...options }, "~kind", kind);
}

/** Copies a schema, hidden marks included. */
export const copy = (schema) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));

/** Copies a schema and sets, or with `undefined` takes away, a hidden mark. */
export function mark(schema, name, value) {
  const marked = copy(schema);
  delete marked[name];
  return value === undefined ? marked : hide(marked, name, value);
}

export const kindOf = (schema) => schema?.["~kind"];
export const isOptional = (schema) => schema?.["~optional"] === true;
export const is = (kind) => (schema) => kindOf(schema) === kind;

/** Makes an object schema of properties; those without the optional mark are required. */
export function objectOf(properties, options) {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
  return make("Object", { type: "object", ...(required.length > 0 && { required }), properties }, options);
}

/** Makes a union, or the one type if there is but one. */
export function unionOf(types, options) {
  if (types.length === 0) return make("Never", { not: {} }, options);
  if (types.length === 1) return types[0];
  return make("Union", { anyOf: types }, options);
}

export const literalOf = (value, options) => make("Literal", { type: typeof value, const: value }, options);
