// Made by make-exports.mjs: names of 'node:http2' that have no implementation.

import { stubs } from "deed:errors";

export const [Http2ServerRequest, Http2ServerResponse, connect, constants, createSecureServer, createServer, getDefaultSettings, getPackedSettings, getUnpackedSettings, performServerHandshake, sensitiveHeaders] = stubs("node:http2", "Http2ServerRequest Http2ServerResponse connect constants createSecureServer createServer getDefaultSettings getPackedSettings getUnpackedSettings performServerHandshake sensitiveHeaders");
export default { Http2ServerRequest, Http2ServerResponse, connect, constants, createSecureServer, createServer, getDefaultSettings, getPackedSettings, getUnpackedSettings, performServerHandshake, sensitiveHeaders };
