// Made by make-exports.mjs: names of 'node:cluster' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:cluster", name);
export const SCHED_NONE = of("SCHED_NONE");
export const SCHED_RR = of("SCHED_RR");
export const Worker = of("Worker");
export const _events = of("_events");
export const _eventsCount = of("_eventsCount");
export const _maxListeners = of("_maxListeners");
export const disconnect = of("disconnect");
export const fork = of("fork");
export const isMaster = of("isMaster");
export const isPrimary = of("isPrimary");
export const isWorker = of("isWorker");
export const schedulingPolicy = of("schedulingPolicy");
export const settings = of("settings");
export const setupMaster = of("setupMaster");
export const setupPrimary = of("setupPrimary");
export const workers = of("workers");
export default { SCHED_NONE, SCHED_RR, Worker, _events, _eventsCount, _maxListeners, disconnect, fork, isMaster, isPrimary, isWorker, schedulingPolicy, settings, setupMaster, setupPrimary, workers };
