// Runs first, as a script: hides the native object from everything but the module `deed:native`,
// which takes it from here before any code of an extension runs.
{
  const native = globalThis.__deed;
  delete globalThis.__deed;
  Object.defineProperty(globalThis, Symbol.for("deed.native"), { value: native, configurable: true });
  Object.defineProperty(globalThis, "global", { value: globalThis, writable: true, configurable: true });
}
