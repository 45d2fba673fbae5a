// @earendil-works/pi-ai/oauth: types only.

export {};
