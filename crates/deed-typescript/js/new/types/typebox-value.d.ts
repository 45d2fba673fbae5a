// typebox/value: checking values against schemas.

import type { Static, TSchema } from "./typebox-builders";

export interface ValueError {
  path: string;
  message: string;
}

export declare function Check<S extends TSchema>(schema: S, value: unknown): value is Static<S>;
export declare function Errors(schema: TSchema, value: unknown): ValueError[];
/** Throws unless the value fits. */
export declare function Assert<S extends TSchema>(schema: S, value: unknown): asserts value is Static<S>;
/** Fills in defaults, converts, takes out what is not in the schema, and throws unless the rest fits. */
export declare function Parse<S extends TSchema>(schema: S, value: unknown): Static<S>;
export declare function Default(schema: TSchema, value: unknown): unknown;
export declare function Convert(schema: TSchema, value: unknown): unknown;
export declare function Clean(schema: TSchema, value: unknown): unknown;
export declare function Create<S extends TSchema>(schema: S): Static<S>;
export declare function Clone<T>(value: T): T;
export declare function Equal(left: unknown, right: unknown): boolean;
