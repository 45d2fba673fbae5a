// Made by make-exports.mjs: names of 'typebox/value' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("typebox/value", name);
export const CreateError = of("CreateError");
export const Decode = of("Decode");
export const DecodeError = of("DecodeError");
export const DecodeUnsafe = of("DecodeUnsafe");
export const Delete = of("Delete");
export const Diff = of("Diff");
export const Edit = of("Edit");
export const Encode = of("Encode");
export const EncodeError = of("EncodeError");
export const EncodeUnsafe = of("EncodeUnsafe");
export const HasCodec = of("HasCodec");
export const Hash = of("Hash");
export const Insert = of("Insert");
export const IsOptionalUndefined = of("IsOptionalUndefined");
export const Parser = of("Parser");
export const Patch = of("Patch");
export const Pipeline = of("Pipeline");
export const Pointer = of("Pointer");
export const Repair = of("Repair");
export const UnionPrioritySort = of("UnionPrioritySort");
export const UnionScoreSelect = of("UnionScoreSelect");
export const Update = of("Update");
