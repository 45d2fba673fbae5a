// Made by make-exports.mjs: names of 'node:buffer' that have no implementation.

export {};
