// Made by make-exports.mjs: names of '@earendil-works/pi-ai/providers/all' that have no implementation.

import { stubs } from "deed:errors";

export const [builtinModels, builtinProviders, getAllBuiltinModels, getBuiltinClassifierModel, getBuiltinClassifierModels, getBuiltinImageModel, getBuiltinImageModels, getBuiltinModel, getBuiltinModelDataGeneratedAt, getBuiltinModels, getBuiltinProviders, radiusProvider] = stubs("@earendil-works/pi-ai/providers/all", "builtinModels builtinProviders getAllBuiltinModels getBuiltinClassifierModel getBuiltinClassifierModels getBuiltinImageModel getBuiltinImageModels getBuiltinModel getBuiltinModelDataGeneratedAt getBuiltinModels getBuiltinProviders radiusProvider");
