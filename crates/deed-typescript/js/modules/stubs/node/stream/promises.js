// Made by make-exports.mjs: names of 'node:stream/promises' that have no implementation.

export {};
