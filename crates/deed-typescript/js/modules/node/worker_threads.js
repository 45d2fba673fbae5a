// node:worker_threads: there is one thread.

export * from "deed:modules/stubs/node/worker_threads";
export const isMainThread = true;
export const parentPort = null;
export const workerData = null;
export const threadId = 0;
export const resourceLimits = {};
export const SHARE_ENV = Symbol("SHARE_ENV");
export default { isMainThread, parentPort, resourceLimits, SHARE_ENV, threadId, workerData };
