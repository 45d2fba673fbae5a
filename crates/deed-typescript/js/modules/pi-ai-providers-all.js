// @earendil-works/pi-ai/providers/all.

export * from "deed:modules/stubs/pi-ai-providers-all";
