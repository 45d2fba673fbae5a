// Made by make-exports.mjs: names of 'node:string_decoder' that have no implementation.

export {};
