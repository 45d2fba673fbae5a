// node:util/types.

export * from "deed:modules/stubs/node/util/types";

const tag = (name) => (value) => typeof value === "object" && value !== null && Object.prototype.toString.call(value) === `[object ${name}]`;
const boxed = (Kind) => (value) => typeof value === "object" && value instanceof Kind;

export const isAnyArrayBuffer = (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
export const isArrayBuffer = (value) => value instanceof ArrayBuffer;
export const isSharedArrayBuffer = (value) => value instanceof SharedArrayBuffer;
export const isArrayBufferView = (value) => ArrayBuffer.isView(value);
export const isTypedArray = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);
export const isUint8Array = (value) => value instanceof Uint8Array;
export const isDataView = (value) => value instanceof DataView;
export const isAsyncFunction = (value) => typeof value === "function" && /^\[object Async/.test(Object.prototype.toString.call(value));
export const isGeneratorFunction = (value) => typeof value === "function" && /GeneratorFunction\]$/.test(Object.prototype.toString.call(value));
export const isGeneratorObject = tag("Generator");
export const isDate = (value) => value instanceof Date;
export const isMap = (value) => value instanceof Map;
export const isSet = (value) => value instanceof Set;
export const isWeakMap = (value) => value instanceof WeakMap;
export const isWeakSet = (value) => value instanceof WeakSet;
export const isPromise = (value) => value instanceof Promise;
export const isRegExp = (value) => value instanceof RegExp;
export const isNativeError = (value) => value instanceof Error;
export const isSymbolObject = boxed(Symbol);
export const isNumberObject = boxed(Number);
export const isStringObject = boxed(String);
export const isBooleanObject = boxed(Boolean);
export const isBigIntObject = boxed(BigInt);
export const isBoxedPrimitive = (value) => [isSymbolObject, isNumberObject, isStringObject, isBooleanObject, isBigIntObject].some((test) => test(value));
export const isMapIterator = tag("Map Iterator");
export const isSetIterator = tag("Set Iterator");
export const isArgumentsObject = tag("Arguments");
export const isModuleNamespaceObject = tag("Module");
export const isProxy = () => false;
export const isExternal = () => false;

export const types = { isAnyArrayBuffer, isArgumentsObject, isArrayBuffer, isArrayBufferView, isAsyncFunction, isBigIntObject, isBooleanObject, isBoxedPrimitive, isDataView, isDate, isExternal, isGeneratorFunction, isGeneratorObject, isMap, isMapIterator, isModuleNamespaceObject, isNativeError, isNumberObject, isPromise, isProxy, isRegExp, isSet, isSetIterator, isSharedArrayBuffer, isStringObject, isSymbolObject, isTypedArray, isUint8Array, isWeakMap, isWeakSet };
export default types;
