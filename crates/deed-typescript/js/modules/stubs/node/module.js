// Made by make-exports.mjs: names of 'node:module' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:module", name);
export const SourceMap = of("SourceMap");
export const _cache = of("_cache");
export const _debug = of("_debug");
export const _extensions = of("_extensions");
export const _findPath = of("_findPath");
export const _initPaths = of("_initPaths");
export const _load = of("_load");
export const _nodeModulePaths = of("_nodeModulePaths");
export const _pathCache = of("_pathCache");
export const _preloadModules = of("_preloadModules");
export const _resolveFilename = of("_resolveFilename");
export const _resolveLookupPaths = of("_resolveLookupPaths");
export const constants = of("constants");
export const enableCompileCache = of("enableCompileCache");
export const findSourceMap = of("findSourceMap");
export const flushCompileCache = of("flushCompileCache");
export const getCompileCacheDir = of("getCompileCacheDir");
export const getSourceMapsSupport = of("getSourceMapsSupport");
export const globalPaths = of("globalPaths");
export const registerHooks = of("registerHooks");
export const runMain = of("runMain");
export const setSourceMapsSupport = of("setSourceMapsSupport");
export const stripTypeScriptTypes = of("stripTypeScriptTypes");
