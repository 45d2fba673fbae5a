// Made by make-exports.mjs: names of '@earendil-works/pi-ai/oauth' that have no implementation.

export {};
