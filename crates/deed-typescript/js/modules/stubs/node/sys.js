// Made by make-exports.mjs: names of 'node:sys' that have no implementation.

export {};
