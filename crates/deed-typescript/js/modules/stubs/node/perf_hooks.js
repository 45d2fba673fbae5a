// Made by make-exports.mjs: names of 'node:perf_hooks' that have no implementation.

import { stubs } from "deed:errors";

export const [Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming, createHistogram, monitorEventLoopDelay] = stubs("node:perf_hooks", "Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming createHistogram monitorEventLoopDelay");
