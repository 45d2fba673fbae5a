// Made by make-exports.mjs: names of 'typebox/value' that have no implementation.

import { stubs } from "deed:errors";

export const [CreateError, Decode, DecodeError, DecodeUnsafe, Delete, Diff, Edit, Encode, EncodeError, EncodeUnsafe, HasCodec, Hash, Insert, IsOptionalUndefined, Parser, Patch, Pipeline, Pointer, Repair, UnionPrioritySort, UnionScoreSelect, Update] = stubs("typebox/value", "CreateError Decode DecodeError DecodeUnsafe Delete Diff Edit Encode EncodeError EncodeUnsafe HasCodec Hash Insert IsOptionalUndefined Parser Patch Pipeline Pointer Repair UnionPrioritySort UnionScoreSelect Update");
