// Made by make-exports.mjs: names of '@earendil-works/pi-ai/providers/all' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("@earendil-works/pi-ai/providers/all", name);
export const builtinModels = of("builtinModels");
export const builtinProviders = of("builtinProviders");
export const getAllBuiltinModels = of("getAllBuiltinModels");
export const getBuiltinClassifierModel = of("getBuiltinClassifierModel");
export const getBuiltinClassifierModels = of("getBuiltinClassifierModels");
export const getBuiltinImageModel = of("getBuiltinImageModel");
export const getBuiltinImageModels = of("getBuiltinImageModels");
export const getBuiltinModel = of("getBuiltinModel");
export const getBuiltinModelDataGeneratedAt = of("getBuiltinModelDataGeneratedAt");
export const getBuiltinModels = of("getBuiltinModels");
export const getBuiltinProviders = of("getBuiltinProviders");
export const radiusProvider = of("radiusProvider");
