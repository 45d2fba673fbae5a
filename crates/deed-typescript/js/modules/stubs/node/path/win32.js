// Made by make-exports.mjs: names of 'node:path/win32' that have no implementation.

export {};
