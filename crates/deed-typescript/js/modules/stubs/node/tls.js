// Made by make-exports.mjs: names of 'node:tls' that have no implementation.

import { stubs } from "deed:errors";

export const [CLIENT_RENEG_LIMIT, CLIENT_RENEG_WINDOW, DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE, DEFAULT_MAX_VERSION, DEFAULT_MIN_VERSION, SecureContext, Server, TLSSocket, checkServerIdentity, connect, convertALPNProtocols, createSecureContext, createSecurePair, createServer, getCACertificates, getCiphers, rootCertificates, setDefaultCACertificates] = stubs("node:tls", "CLIENT_RENEG_LIMIT CLIENT_RENEG_WINDOW DEFAULT_CIPHERS DEFAULT_ECDH_CURVE DEFAULT_MAX_VERSION DEFAULT_MIN_VERSION SecureContext Server TLSSocket checkServerIdentity connect convertALPNProtocols createSecureContext createSecurePair createServer getCACertificates getCiphers rootCertificates setDefaultCACertificates");
export default { CLIENT_RENEG_LIMIT, CLIENT_RENEG_WINDOW, DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE, DEFAULT_MAX_VERSION, DEFAULT_MIN_VERSION, SecureContext, Server, TLSSocket, checkServerIdentity, connect, convertALPNProtocols, createSecureContext, createSecurePair, createServer, getCACertificates, getCiphers, rootCertificates, setDefaultCACertificates };
