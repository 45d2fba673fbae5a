// Made by make-exports.mjs: names of '@earendil-works/pi-ai/models' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("@earendil-works/pi-ai/models", name);
export const AI_TELEMETRY_SCHEMA = of("AI_TELEMETRY_SCHEMA");
export const ModelsError = of("ModelsError");
export const clampThinkingLevel = of("clampThinkingLevel");
export const createModels = of("createModels");
export const createProvider = of("createProvider");
export const getSupportedThinkingLevels = of("getSupportedThinkingLevels");
