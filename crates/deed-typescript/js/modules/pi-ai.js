// @earendil-works/pi-ai: what extensions use of it without a provider of their own.

import { complete as completeBy } from "deed:host/models";
import { op, fromBase64 } from "deed:native";
import { make } from "deed:schema/make";

export * from "deed:modules/stubs/pi-ai";
export { Type } from "deed:modules/typebox";

/** Makes a schema of some texts in the form that all providers take. */
export function StringEnum(values, options = {}) {
  const { description, default: fallback } = options;
  return make("Unsafe", { type: "string", enum: [...values], ...(description && { description }), ...(fallback && { default: fallback }) });
}

let lastMs = 0;
let counter = 0;

/** Makes an identifier that sorts by its time. Source: RFC 9562, version 7. */
export function uuidv7(timestampMs = Date.now()) {
  const bytes = fromBase64(op("crypto.randomBytes", { size: 16 }).base64);
  // Identifiers of one millisecond stay in order by a counter where the random part begins.
  counter = timestampMs === lastMs ? (counter + 1) & 0xfff : (bytes[6] << 4) & 0x7ff;
  lastMs = timestampMs;
  const time = Math.trunc(timestampMs).toString(16).padStart(12, "0");
  const rest = [...bytes.subarray(8)].map((byte, index) => (index === 0 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, "0")).join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** Returns the text of content. */
export function contentText(content, separator = "\n") {
  if (typeof content === "string") return content;
  return content.filter((block) => block.type === "text").map((block) => block.text).join(separator);
}

export const complete = (model, context, options) => completeBy(model, context, options);
export const completeSimple = complete;
export const getModelType = (model) => model.type ?? "chat";
export const isModelType = (model, type) => getModelType(model) === type;
export const modelsAreEqual = (left, right) => Boolean(left && right && left.provider === right.provider && left.id === right.id);
export const hasApi = (model, api) => model.api === api;

/** Works out what tokens cost; prices are for a million. */
export function calculateCost(model, usage) {
  const price = model.cost ?? {};
  const cost = Object.fromEntries(["input", "output", "cacheRead", "cacheWrite"].map((kind) => [kind, ((price[kind] ?? 0) / 1e6) * (usage[kind] ?? 0)]));
  usage.cost = { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite };
  return usage.cost;
}
export const PI_AI_VERSION = "1.6.0";
