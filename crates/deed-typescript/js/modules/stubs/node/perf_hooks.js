// Made by make-exports.mjs: names of 'node:perf_hooks' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:perf_hooks", name);
export const Performance = of("Performance");
export const PerformanceEntry = of("PerformanceEntry");
export const PerformanceMark = of("PerformanceMark");
export const PerformanceMeasure = of("PerformanceMeasure");
export const PerformanceObserver = of("PerformanceObserver");
export const PerformanceObserverEntryList = of("PerformanceObserverEntryList");
export const PerformanceResourceTiming = of("PerformanceResourceTiming");
export const createHistogram = of("createHistogram");
export const monitorEventLoopDelay = of("monitorEventLoopDelay");
