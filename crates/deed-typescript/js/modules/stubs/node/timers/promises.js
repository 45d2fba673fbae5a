// Made by make-exports.mjs: names of 'node:timers/promises' that have no implementation.

export {};
