import Default, { Type, Union, Literal, IsOptional } from "typebox";
import { Value } from "typebox/value";

const object = Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }, { description: "k" });
const letters = Type.Union([Type.Literal("a"), Type.Literal("b")]);
const SHAPES = {
  object,
  empty: Type.Object({}),
  closed: Type.Object({ a: Type.Optional(Type.String({ minLength: 1 })), c: Type.Readonly(Type.Integer()) }, { additionalProperties: false }),
  array: Type.Array(Type.Object({ x: Type.Boolean({ default: true }) }), { minItems: 1 }),
  tuple: [Type.Tuple([Type.String(), Type.Number()]), Type.Tuple([])],
  union: Type.Union([Type.Literal("a"), Type.Literal(2), Type.Literal(true), Type.Null()], { default: "a" }),
  intersect: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
  record: [Type.Record(Type.String(), Type.Number()), Type.Record(Type.Number(), Type.Any()), Type.Record(Type.Integer(), Type.Any()), Type.Record(letters, Type.Any()), Type.Record(Type.Literal("k"), Type.String()), Type.Record(Type.Boolean(), Type.Number()), Type.Record(Type.TemplateLiteral("a${string}"), Type.Number())],
  enum: [Type.Enum({ A: "a", B: "b" }), Type.Enum(["x", "y"]), Type.Enum({ A: 0, B: "q" })],
  simple: [Type.Any(), Type.Unknown(), Type.Never(), Type.Null(), Type.Undefined(), Type.Void(), Type.BigInt(), Type.Symbol(), Type.Integer({ minimum: 1 }), Type.String({ description: "d", enum: ["a"] }), Type.Number({ maximum: 5 })],
  partial: [Type.Partial(object), Type.Required(object), Type.Pick(object, ["a"]), Type.Pick(object, Type.Literal("b")), Type.Omit(object, ["a"]), Type.Partial(Type.Union([object, Type.Object({ z: Type.String() })])), Type.Partial(Type.Intersect([object, Type.Object({ z: Type.String() })])), Type.Omit(Type.Intersect([object, Type.Object({ z: Type.String() })]), ["a"])],
  keys: [Type.KeyOf(object), Type.KeyOf(Type.Object({ a: Type.String() })), Type.Index(object, ["a"])],
  literal: [Type.Literal("x"), Type.Literal(5), Type.Literal(false), Type.TemplateLiteral("a${string}")],
  unsafe: Type.Unsafe({ type: "string", enum: ["a"] }),
  ref: Type.Ref("X"),
  choices: [Type.Exclude(letters, Type.Literal("a")), Type.Extract(letters, Type.Literal("a")), Type.NonNullable(Type.Union([Type.String(), Type.Null()])), Type.Conditional(Type.String(), Type.String(), Type.Number(), Type.Boolean())],
  merged: [Type.Evaluate(Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.String()) })])), Type.Interface([Type.Object({ a: Type.String() })], { b: Type.Number() })],
  cyclic: Type.Cyclic({ A: Type.Object({ x: Type.Optional(Type.Ref("A")) }) }, "A"),
  module: Type.Module({ A: Type.String(), B: Type.Object({ a: Type.Ref("A") }) }),
  text: [Type.Capitalize(Type.Literal("ab")), Type.Uncapitalize(Type.Literal("AB")), Type.Uppercase(Type.Literal("ab")), Type.Lowercase(Type.Literal("AB"))],
  function: Type.Function([Type.String()], Type.Number()),
  changed: [Type.Codec(Type.String()).Decode((x) => x).Encode((x) => x), Type.Refine(Type.String(), () => true)],
};
for (const [name, shape] of Object.entries(SHAPES)) console.log(name, JSON.stringify(shape));
console.log(JSON.stringify(Union([Literal("p"), Literal("q")])), typeof Default, IsOptional(Type.Optional(Type.String())), IsOptional(Type.String()), Type.IsString(Type.String()), Type.IsObject(object));

const CHECKS = [[object, { a: "x" }], [object, { a: 1 }], [object, {}], [object, { a: "x", b: "y" }], [SHAPES.closed, { c: 1, d: 2 }], [SHAPES.array, []], [SHAPES.array, [{ x: true }]], [SHAPES.union, null], [SHAPES.union, 3], [SHAPES.record[0], { k: 1 }], [SHAPES.record[0], { k: "1" }], [SHAPES.record[1], { 1: 2 }], [Type.Integer(), 1.5], [Type.String({ pattern: "^a" }), "b"], [Type.Never(), 1], [SHAPES.intersect, { a: "", b: "" }], [SHAPES.intersect, { a: "" }], [SHAPES.cyclic, { x: { x: {} } }], [SHAPES.cyclic, { x: 1 }], [SHAPES.enum[1], "x"], [SHAPES.enum[1], "z"]];
console.log(CHECKS.map(([schema, value]) => Value.Check(schema, value)));
console.log(Value.Default(Type.Object({ x: Type.Number({ default: 5 }) }), {}), Value.Equal({ a: [1] }, { a: [1] }), Value.Clone({ a: { b: 1 } }));
