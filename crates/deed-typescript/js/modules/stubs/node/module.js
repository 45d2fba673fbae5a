// Made by make-exports.mjs: names of 'node:module' that have no implementation.

import { stubs } from "deed:errors";

export const [SourceMap, _cache, _debug, _extensions, _findPath, _initPaths, _load, _nodeModulePaths, _pathCache, _preloadModules, _resolveFilename, _resolveLookupPaths, constants, enableCompileCache, findSourceMap, flushCompileCache, getCompileCacheDir, getSourceMapsSupport, globalPaths, registerHooks, runMain, setSourceMapsSupport, stripTypeScriptTypes] = stubs("node:module", "SourceMap _cache _debug _extensions _findPath _initPaths _load _nodeModulePaths _pathCache _preloadModules _resolveFilename _resolveLookupPaths constants enableCompileCache findSourceMap flushCompileCache getCompileCacheDir getSourceMapsSupport globalPaths registerHooks runMain setSourceMapsSupport stripTypeScriptTypes");
