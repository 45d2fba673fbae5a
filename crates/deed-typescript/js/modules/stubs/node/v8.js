// Made by make-exports.mjs: names of 'node:v8' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:v8", name);
export const DefaultDeserializer = of("DefaultDeserializer");
export const DefaultSerializer = of("DefaultSerializer");
export const Deserializer = of("Deserializer");
export const GCProfiler = of("GCProfiler");
export const Serializer = of("Serializer");
export const cachedDataVersionTag = of("cachedDataVersionTag");
export const deserialize = of("deserialize");
export const getCppHeapStatistics = of("getCppHeapStatistics");
export const getHeapCodeStatistics = of("getHeapCodeStatistics");
export const getHeapSnapshot = of("getHeapSnapshot");
export const getHeapSpaceStatistics = of("getHeapSpaceStatistics");
export const getHeapStatistics = of("getHeapStatistics");
export const isStringOneByteRepresentation = of("isStringOneByteRepresentation");
export const promiseHooks = of("promiseHooks");
export const queryObjects = of("queryObjects");
export const serialize = of("serialize");
export const setFlagsFromString = of("setFlagsFromString");
export const setHeapSnapshotNearHeapLimit = of("setHeapSnapshotNearHeapLimit");
export const startupSnapshot = of("startupSnapshot");
export const stopCoverage = of("stopCoverage");
export const takeCoverage = of("takeCoverage");
export const writeHeapSnapshot = of("writeHeapSnapshot");
export default { DefaultDeserializer, DefaultSerializer, Deserializer, GCProfiler, Serializer, cachedDataVersionTag, deserialize, getCppHeapStatistics, getHeapCodeStatistics, getHeapSnapshot, getHeapSpaceStatistics, getHeapStatistics, isStringOneByteRepresentation, promiseHooks, queryObjects, serialize, setFlagsFromString, setHeapSnapshotNearHeapLimit, startupSnapshot, stopCoverage, takeCoverage, writeHeapSnapshot };
