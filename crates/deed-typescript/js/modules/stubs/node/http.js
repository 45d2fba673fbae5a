// Made by make-exports.mjs: names of 'node:http' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:http", name);
export const Agent = of("Agent");
export const ClientRequest = of("ClientRequest");
export const CloseEvent = of("CloseEvent");
export const IncomingMessage = of("IncomingMessage");
export const METHODS = of("METHODS");
export const MessageEvent = of("MessageEvent");
export const OutgoingMessage = of("OutgoingMessage");
export const STATUS_CODES = of("STATUS_CODES");
export const Server = of("Server");
export const ServerResponse = of("ServerResponse");
export const WebSocket = of("WebSocket");
export const _connectionListener = of("_connectionListener");
export const createServer = of("createServer");
export const get = of("get");
export const globalAgent = of("globalAgent");
export const maxHeaderSize = of("maxHeaderSize");
export const request = of("request");
export const setMaxIdleHTTPParsers = of("setMaxIdleHTTPParsers");
export const validateHeaderName = of("validateHeaderName");
export const validateHeaderValue = of("validateHeaderValue");
export default { Agent, ClientRequest, CloseEvent, IncomingMessage, METHODS, MessageEvent, OutgoingMessage, STATUS_CODES, Server, ServerResponse, WebSocket, _connectionListener, createServer, get, globalAgent, maxHeaderSize, request, setMaxIdleHTTPParsers, validateHeaderName, validateHeaderValue };
