// Made by make-exports.mjs: names of 'node:path/posix' that have no implementation.

export {};
