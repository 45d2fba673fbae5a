// node:buffer. The class itself stands in globals/buffer.js.

import { Blob, File } from "deed:globals/blob";
import { Buffer, constants, isAscii, isUtf8, kMaxLength } from "deed:globals/buffer";
import { unsupported } from "deed:errors";

export * from "deed:modules/stubs/node/buffer";

const { atob, btoa } = globalThis;
export const INSPECT_MAX_BYTES = 50;
export const kStringMaxLength = constants.MAX_STRING_LENGTH;
export const SlowBuffer = unsupported("'SlowBuffer' from 'node:buffer'");
export const transcode = (source, from, to) => Buffer.from(Buffer.from(source).toString(from), to);
export const resolveObjectURL = unsupported("'resolveObjectURL' from 'node:buffer'");
export { atob, Blob, btoa, Buffer, constants, File, isAscii, isUtf8, kMaxLength };
export default { atob, Blob, btoa, Buffer, constants, File, INSPECT_MAX_BYTES, isAscii, isUtf8, kMaxLength, kStringMaxLength, SlowBuffer, transcode, resolveObjectURL };
