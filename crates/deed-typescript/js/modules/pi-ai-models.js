// @earendil-works/pi-ai/models.

export * from "deed:modules/stubs/pi-ai-models";
export { calculateCost, getModelType, hasApi, isModelType, modelsAreEqual } from "deed:modules/pi-ai";
