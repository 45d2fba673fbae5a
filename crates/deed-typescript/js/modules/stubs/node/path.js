// Made by make-exports.mjs: names of 'node:path' that have no implementation.

export {};
