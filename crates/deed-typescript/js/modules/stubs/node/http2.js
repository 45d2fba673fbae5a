// Made by make-exports.mjs: names of 'node:http2' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:http2", name);
export const Http2ServerRequest = of("Http2ServerRequest");
export const Http2ServerResponse = of("Http2ServerResponse");
export const connect = of("connect");
export const constants = of("constants");
export const createSecureServer = of("createSecureServer");
export const createServer = of("createServer");
export const getDefaultSettings = of("getDefaultSettings");
export const getPackedSettings = of("getPackedSettings");
export const getUnpackedSettings = of("getUnpackedSettings");
export const performServerHandshake = of("performServerHandshake");
export const sensitiveHeaders = of("sensitiveHeaders");
export default { Http2ServerRequest, Http2ServerResponse, connect, constants, createSecureServer, createServer, getDefaultSettings, getPackedSettings, getUnpackedSettings, performServerHandshake, sensitiveHeaders };
