// Made by make-exports.mjs: names of 'node:net' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:net", name);
export const BlockList = of("BlockList");
export const Server = of("Server");
export const Socket = of("Socket");
export const SocketAddress = of("SocketAddress");
export const Stream = of("Stream");
export const _createServerHandle = of("_createServerHandle");
export const _normalizeArgs = of("_normalizeArgs");
export const _setSimultaneousAccepts = of("_setSimultaneousAccepts");
export const connect = of("connect");
export const createConnection = of("createConnection");
export const createServer = of("createServer");
export const getDefaultAutoSelectFamily = of("getDefaultAutoSelectFamily");
export const getDefaultAutoSelectFamilyAttemptTimeout = of("getDefaultAutoSelectFamilyAttemptTimeout");
export const isIP = of("isIP");
export const isIPv4 = of("isIPv4");
export const isIPv6 = of("isIPv6");
export const setDefaultAutoSelectFamily = of("setDefaultAutoSelectFamily");
export const setDefaultAutoSelectFamilyAttemptTimeout = of("setDefaultAutoSelectFamilyAttemptTimeout");
export default { BlockList, Server, Socket, SocketAddress, Stream, _createServerHandle, _normalizeArgs, _setSimultaneousAccepts, connect, createConnection, createServer, getDefaultAutoSelectFamily, getDefaultAutoSelectFamilyAttemptTimeout, isIP, isIPv4, isIPv6, setDefaultAutoSelectFamily, setDefaultAutoSelectFamilyAttemptTimeout };
