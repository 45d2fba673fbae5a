// Made by make-exports.mjs: names of '@earendil-works/pi-ai/models' that have no implementation.

import { stubs } from "deed:errors";

export const [AI_TELEMETRY_SCHEMA, ModelsError, clampThinkingLevel, createModels, createProvider, getSupportedThinkingLevels] = stubs("@earendil-works/pi-ai/models", "AI_TELEMETRY_SCHEMA ModelsError clampThinkingLevel createModels createProvider getSupportedThinkingLevels");
