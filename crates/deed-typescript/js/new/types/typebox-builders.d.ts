// Builders of JSON Schema. `Static<typeof schema>` is the type of what a schema describes.

/** Any schema, also one that is written by hand. */
export interface TSchema {}

/** A schema of which the type is known. */
export interface Typed<T> extends TSchema {
  readonly "~static": T;
}
export type Static<S> = S extends { readonly "~static": infer T } ? T : any;

export interface Annotations {
  title?: string;
  /** The model reads it: say what is meant and give an example. */
  description?: string;
  default?: unknown;
  examples?: unknown;
  [keyword: string]: unknown;
}
export interface TextOptions extends Annotations {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}
export interface NumberOptions extends Annotations {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}
export interface ArrayOptions extends Annotations {
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
}
export interface ObjectOptions extends Annotations {
  additionalProperties?: boolean | TSchema;
}

export type TProperties = Record<string, TSchema>;
type OptionalMark = { readonly "~optional": true };
type OptionalKey<P> = { [K in keyof P]: P[K] extends OptionalMark ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] };
type StaticObject<P> = Flat<{ [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & { [K in OptionalKey<P>]?: Static<P[K]> }>;
type StaticAll<S> = S extends readonly [infer First, ...infer Rest] ? Static<First> & StaticAll<Rest> : unknown;

export type TAny = Typed<any>;
export type TUnknown = Typed<unknown>;
export type TNever = Typed<never>;
export type TNull = Typed<null>;
export type TBoolean = Typed<boolean>;
export type TString = Typed<string>;
export type TNumber = Typed<number>;
export type TInteger = Typed<number>;
export type TUnsafe<T> = Typed<T>;
export type TOptional<S extends TSchema = TSchema> = S & OptionalMark;
export interface TLiteral<V extends string | number | boolean = string> extends Typed<V> {
  readonly const: V;
}
export interface TArray<S extends TSchema = TSchema> extends Typed<Static<S>[]> {
  readonly items: S;
}
export interface TObject<P extends TProperties = TProperties> extends Typed<StaticObject<P>> {
  readonly properties: P;
}
export interface TUnion<S extends readonly TSchema[] = readonly TSchema[]> extends Typed<Static<S[number]>> {
  readonly anyOf: S;
}
export type TEnum<V> = Typed<V>;
export type TRecord<V extends TSchema = TSchema> = Typed<Record<string, Static<V>>>;

export declare function Any(options?: Annotations): TAny;
export declare function Unknown(options?: Annotations): TUnknown;
export declare function Never(options?: Annotations): TNever;
export declare function Null(options?: Annotations): TNull;
export declare function Boolean(options?: Annotations): TBoolean;
export declare function String(options?: TextOptions): TString;
export declare function Number(options?: NumberOptions): TNumber;
export declare function Integer(options?: NumberOptions): TInteger;
export declare function Literal<const V extends string | number | boolean>(value: V, options?: Annotations): TLiteral<V>;
export declare function Array<S extends TSchema>(items: S, options?: ArrayOptions): TArray<S>;
export declare function Tuple<const S extends readonly TSchema[]>(items: S, options?: Annotations): Typed<{ -readonly [K in keyof S]: Static<S[K]> }>;
export declare function Object<P extends TProperties>(properties: P, options?: ObjectOptions): TObject<P>;
export declare function Optional<S extends TSchema>(schema: S): TOptional<S>;
export declare function Readonly<S extends TSchema>(schema: S): S;
export declare function Union<const S extends readonly TSchema[]>(schemas: S, options?: Annotations): TUnion<S>;
export declare function Intersect<const S extends readonly TSchema[]>(schemas: S, options?: Annotations): Typed<StaticAll<S>>;
export declare function Enum<const V extends readonly (string | number)[]>(values: V, options?: Annotations): TEnum<V[number]>;
export declare function Enum<V extends Record<string, string | number>>(values: V, options?: Annotations): TEnum<V[keyof V]>;
export declare function Record<V extends TSchema>(key: TSchema, value: V, options?: Annotations): TRecord<V>;
export declare function Unsafe<T = unknown>(schema: object): TUnsafe<T>;
export declare function Partial<P extends TProperties>(schema: TObject<P>, options?: ObjectOptions): TObject<{ [K in keyof P]: TOptional<P[K]> }>;
export declare function Pick<P extends TProperties, const K extends readonly (keyof P)[]>(schema: TObject<P>, keys: K, options?: ObjectOptions): TObject<{ [N in K[number]]: P[N] }>;
export declare function Omit<P extends TProperties, const K extends readonly (keyof P)[]>(schema: TObject<P>, keys: K, options?: ObjectOptions): TObject<{ [N in Exclude<keyof P, K[number]>]: P[N] }>;
export declare function KeyOf<P extends TProperties>(schema: TObject<P>, options?: Annotations): Typed<keyof P & string>;
export declare function Composite<const S extends readonly TSchema[]>(schemas: S, options?: ObjectOptions): Typed<StaticAll<S>>;
export declare function Required<S extends TSchema>(schema: S, options?: ObjectOptions): TSchema;
export declare function Ref(name: string, options?: Annotations): TSchema;
export declare function Cyclic(definitions: TProperties, name: string, options?: Annotations): TSchema;
export declare function TemplateLiteral(pattern: string, options?: Annotations): TString;
