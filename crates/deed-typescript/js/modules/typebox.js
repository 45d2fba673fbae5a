// typebox: builders of JSON Schema, with the JSON that the package itself makes.

import { Composite, Conditional, Evaluate, Exclude, Extract, Index, Interface, isWithin, KeyOf, NonNullable, Omit, overText, Partial, Pick, ReadonlyObject, Required } from "deed:schema/derive";
import { is, isOptional as IsOptional, kindOf, literalOf as Literal, make, mark, objectOf } from "deed:schema/make";
import * as stubs from "deed:modules/stubs/typebox";
import { Record, TemplateLiteral } from "deed:schema/patterns";

export * from "deed:modules/stubs/typebox";

const basic = (kind, json) => (options) => make(kind, json, options);
const Any = basic("Any", {});
const BigInt_ = basic("BigInt", { type: "bigint" });
const Boolean_ = basic("Boolean", { type: "boolean" });
const Integer = basic("Integer", { type: "integer" });
const Never = basic("Never", { not: {} });
const Null = basic("Null", { type: "null" });
const Number_ = basic("Number", { type: "number" });
const String_ = basic("String", { type: "string" });
const Symbol_ = basic("Symbol", { type: "symbol" });
const This = basic("This", { $ref: "#" });
const Undefined = basic("Undefined", { type: "undefined" });
const Unknown = basic("Unknown", {});
const Void = basic("Void", { type: "void" });

const Array_ = (items, options) => make("Array", { type: "array", items }, options);
const Object_ = (properties, options) => objectOf(properties, options);
const Tuple = (items, options) => make("Tuple", { type: "array", additionalItems: false, items, minItems: items.length }, options);
const Union = (anyOf, options) => make("Union", { anyOf }, options);
const Intersect = (allOf, options) => make("Intersect", { allOf }, options);
const Ref = ($ref, options) => make("Ref", { $ref: typeof $ref === "string" ? $ref : $ref.$id }, options);
const Unsafe = (schema) => make(kindOf(schema) ?? "Unsafe", schema);

function Enum(values, options) {
  // An enum of TypeScript has numbers also as keys of their names.
  const list = Array.isArray(values) ? values : Object.keys(values).filter((key) => Number.isNaN(Number(key))).map((key) => values[key]);
  return make("Enum", { enum: [...new Set(list)] }, options);
}

const Function_ = (parameters, returnType, options) => make("Function", { type: "function", parameters, returnType }, options);
const Constructor = (parameters, instanceType, options) => make("Constructor", { type: "constructor", parameters, instanceType }, options);
const ReturnType = (schema) => schema.returnType;
const InstanceType = (schema) => schema.instanceType;
const Parameters = (schema) => Tuple(schema.parameters);

function Cyclic(definitions, $ref, options) {
  const $defs = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, Object.assign(make(kindOf(schema), schema), { $id: name })]));
  return make("Cyclic", { $defs, $ref }, options);
}

/** Resolves references between the schemas of a module; rings become definitions. */
function Module(schemas) {
  const inline = (schema, path) => {
    if (kindOf(schema) === "Ref" && schemas[schema.$ref]) return path.includes(schema.$ref) ? schema : carry(schema, inline(schemas[schema.$ref], [...path, schema.$ref]));
    const whole = make(kindOf(schema), schema);
    for (const key of ["properties", "patternProperties"]) {
      if (schema[key]) whole[key] = Object.fromEntries(Object.entries(schema[key]).map(([name, value]) => [name, inline(value, path)]));
    }
    for (const key of ["anyOf", "allOf"]) if (schema[key]) whole[key] = schema[key].map((value) => inline(value, path));
    if (schema.items) whole.items = Array.isArray(schema.items) ? schema.items.map((value) => inline(value, path)) : inline(schema.items, path);
    return carry(schema, whole);
  };
  const isRing = (name) => JSON.stringify(inline(schemas[name], [name])).includes(`{"$ref":"${name}"}`);
  return Object.fromEntries(Object.keys(schemas).map((name) => [name, isRing(name) ? Cyclic(schemas, name) : inline(schemas[name], [name])]));
}
const carry = (from, to) => (IsOptional(from) ? mark(to, "~optional", true) : to);

const Optional = (schema) => mark(schema, "~optional", true);
const Readonly = (schema) => mark(schema, "~readonly", true);
const Immutable = (schema) => mark(schema, "~immutable", true);
const Capitalize = overText((text) => text.slice(0, 1).toUpperCase() + text.slice(1));
const Uncapitalize = overText((text) => text.slice(0, 1).toLowerCase() + text.slice(1));
const Uppercase = overText((text) => text.toUpperCase());
const Lowercase = overText((text) => text.toLowerCase());
const Codec = (schema) => ({ Decode: (decode) => ({ Encode: (encode) => mark(mark(schema, "~codec", { decode, encode }), "~kind", kindOf(schema)) }) });
const Refine = (schema, check, message) => mark(schema, "~refine", [...(schema["~refine"] ?? []), { check, message }]);
const With = (schema, options) => Object.assign(mark(schema, "~with"), options);

export const IsAny = is("Any");
export const IsArray = is("Array");
export const IsBigInt = is("BigInt");
export const IsBoolean = is("Boolean");
export const IsEnum = is("Enum");
export const IsFunction = is("Function");
export const IsInteger = is("Integer");
export const IsIntersect = is("Intersect");
export const IsLiteral = is("Literal");
export const IsNever = is("Never");
export const IsNull = is("Null");
export const IsNumber = is("Number");
export const IsObject = is("Object");
export const IsRecord = is("Record");
export const IsRef = is("Ref");
export const IsString = is("String");
export const IsSymbol = is("Symbol");
export const IsTemplateLiteral = is("TemplateLiteral");
export const IsTuple = is("Tuple");
export const IsUndefined = is("Undefined");
export const IsUnion = is("Union");
export const IsUnknown = is("Unknown");
export const IsUnsafe = is("Unsafe");
export const IsVoid = is("Void");
export const IsKind = (schema, kind) => kindOf(schema) === kind;
export const IsReadonly = (schema) => schema?.["~readonly"] === true;
export const IsSchema = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export { IsOptional };

const GUARDS = { IsAny, IsArray, IsBigInt, IsBoolean, IsEnum, IsFunction, IsInteger, IsIntersect, IsKind, IsLiteral, IsNever, IsNull, IsNumber, IsObject, IsOptional, IsReadonly, IsRecord, IsRef, IsSchema, IsString, IsSymbol, IsTemplateLiteral, IsTuple, IsUndefined, IsUnion, IsUnknown, IsUnsafe, IsVoid };

export const Extends = isWithin;
export { Any, Array_ as Array, BigInt_ as BigInt, Boolean_ as Boolean, Capitalize, Codec, Composite, Conditional, Constructor, Cyclic, Enum, Evaluate, Exclude, Extract, Function_ as Function, Immutable, Index, InstanceType, Integer, Interface, Intersect, KeyOf, Literal, Lowercase, Module, Never, NonNullable, Null, Number_ as Number, Object_ as Object, Omit, Optional, Parameters, Partial, Pick, Readonly, ReadonlyObject, Record, Ref, Refine, Required, ReturnType, String_ as String, Symbol_ as Symbol, TemplateLiteral, This, Tuple, Uncapitalize, Undefined, Union, Unknown, Unsafe, Uppercase, Void, With };

/** All of it under one name; what is not there throws when it is called. */
export const Type = { ...stubs, ...GUARDS, Any, Array: Array_, BigInt: BigInt_, Boolean: Boolean_, Capitalize, Codec, Composite, Conditional, Constructor, Cyclic, Enum, Evaluate, Exclude, Extends, Extract, Function: Function_, Immutable, Index, InstanceType, Integer, Interface, Intersect, KeyOf, Literal, Lowercase, Module, Never, NonNullable, Null, Number: Number_, Object: Object_, Omit, Optional, Parameters, Partial, Pick, Readonly, ReadonlyObject, Record, Ref, Refine, Required, ReturnType, String: String_, Symbol: Symbol_, TemplateLiteral, This, Tuple, Uncapitalize, Undefined, Union, Unknown, Unsafe, Uppercase, Void, With };
export default Type;
