// node:perf_hooks: the clock only.

export * from "deed:modules/stubs/node/perf_hooks";

const { performance } = globalThis;
performance.mark ??= () => undefined;
performance.measure ??= () => undefined;
performance.timeOrigin ??= Date.now() - performance.now();
performance.toJSON ??= () => ({ timeOrigin: performance.timeOrigin });
export const constants = {};
export { performance };
export default { constants, performance };
