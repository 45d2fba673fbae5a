// node:sys, the old name of node:util.

export * from "deed:modules/node/util";
export { default } from "deed:modules/node/util";
