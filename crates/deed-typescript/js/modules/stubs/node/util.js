// Made by make-exports.mjs: names of 'node:util' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:util", name);
export const MIMEParams = of("MIMEParams");
export const _errnoException = of("_errnoException");
export const _exceptionWithHostPort = of("_exceptionWithHostPort");
export const _extend = of("_extend");
export const diff = of("diff");
export const getCallSite = of("getCallSite");
export const getCallSites = of("getCallSites");
export const getSystemErrorMap = of("getSystemErrorMap");
export const getSystemErrorMessage = of("getSystemErrorMessage");
export const isBoolean = of("isBoolean");
export const isBuffer = of("isBuffer");
export const isNull = of("isNull");
export const isNullOrUndefined = of("isNullOrUndefined");
export const isNumber = of("isNumber");
export const isObject = of("isObject");
export const isPrimitive = of("isPrimitive");
export const isSymbol = of("isSymbol");
export const isUndefined = of("isUndefined");
export const log = of("log");
export const parseEnv = of("parseEnv");
export const setTraceSigInt = of("setTraceSigInt");
export const transferableAbortController = of("transferableAbortController");
export const transferableAbortSignal = of("transferableAbortSignal");
