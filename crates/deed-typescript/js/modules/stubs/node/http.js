// Made by make-exports.mjs: names of 'node:http' that have no implementation.

import { stubs } from "deed:errors";

export const [Agent, ClientRequest, CloseEvent, IncomingMessage, METHODS, MessageEvent, OutgoingMessage, STATUS_CODES, Server, ServerResponse, WebSocket, _connectionListener, createServer, get, globalAgent, maxHeaderSize, request, setMaxIdleHTTPParsers, validateHeaderName, validateHeaderValue] = stubs("node:http", "Agent ClientRequest CloseEvent IncomingMessage METHODS MessageEvent OutgoingMessage STATUS_CODES Server ServerResponse WebSocket _connectionListener createServer get globalAgent maxHeaderSize request setMaxIdleHTTPParsers validateHeaderName validateHeaderValue");
export default { Agent, ClientRequest, CloseEvent, IncomingMessage, METHODS, MessageEvent, OutgoingMessage, STATUS_CODES, Server, ServerResponse, WebSocket, _connectionListener, createServer, get, globalAgent, maxHeaderSize, request, setMaxIdleHTTPParsers, validateHeaderName, validateHeaderValue };
