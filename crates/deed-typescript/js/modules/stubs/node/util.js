// Made by make-exports.mjs: names of 'node:util' that have no implementation.

import { stubs } from "deed:errors";

export const [MIMEParams, _errnoException, _exceptionWithHostPort, _extend, diff, getCallSite, getCallSites, getSystemErrorMap, getSystemErrorMessage, isBoolean, isBuffer, isNull, isNullOrUndefined, isNumber, isObject, isPrimitive, isSymbol, isUndefined, log, parseEnv, setTraceSigInt, transferableAbortController, transferableAbortSignal] = stubs("node:util", "MIMEParams _errnoException _exceptionWithHostPort _extend diff getCallSite getCallSites getSystemErrorMap getSystemErrorMessage isBoolean isBuffer isNull isNullOrUndefined isNumber isObject isPrimitive isSymbol isUndefined log parseEnv setTraceSigInt transferableAbortController transferableAbortSignal");
