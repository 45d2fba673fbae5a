// Made by make-exports.mjs: names of 'node:dgram' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:dgram", name);
export const Socket = of("Socket");
export const _createSocketHandle = of("_createSocketHandle");
export const createSocket = of("createSocket");
export default { Socket, _createSocketHandle, createSocket };
