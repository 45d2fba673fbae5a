// Made by make-exports.mjs: names of 'node:tls' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:tls", name);
export const CLIENT_RENEG_LIMIT = of("CLIENT_RENEG_LIMIT");
export const CLIENT_RENEG_WINDOW = of("CLIENT_RENEG_WINDOW");
export const DEFAULT_CIPHERS = of("DEFAULT_CIPHERS");
export const DEFAULT_ECDH_CURVE = of("DEFAULT_ECDH_CURVE");
export const DEFAULT_MAX_VERSION = of("DEFAULT_MAX_VERSION");
export const DEFAULT_MIN_VERSION = of("DEFAULT_MIN_VERSION");
export const SecureContext = of("SecureContext");
export const Server = of("Server");
export const TLSSocket = of("TLSSocket");
export const checkServerIdentity = of("checkServerIdentity");
export const connect = of("connect");
export const convertALPNProtocols = of("convertALPNProtocols");
export const createSecureContext = of("createSecureContext");
export const createSecurePair = of("createSecurePair");
export const createServer = of("createServer");
export const getCACertificates = of("getCACertificates");
export const getCiphers = of("getCiphers");
export const rootCertificates = of("rootCertificates");
export const setDefaultCACertificates = of("setDefaultCACertificates");
export default { CLIENT_RENEG_LIMIT, CLIENT_RENEG_WINDOW, DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE, DEFAULT_MAX_VERSION, DEFAULT_MIN_VERSION, SecureContext, Server, TLSSocket, checkServerIdentity, connect, convertALPNProtocols, createSecureContext, createSecurePair, createServer, getCACertificates, getCiphers, rootCertificates, setDefaultCACertificates };
