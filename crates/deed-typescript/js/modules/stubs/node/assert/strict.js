// Made by make-exports.mjs: names of 'node:assert/strict' that have no implementation.

export {};
