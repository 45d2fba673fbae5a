// ctx.modelRegistry: the models the host knows, and requests to them.

import { guarded, partly, unsupported } from "deed:errors";
import { onAbort } from "deed:globals/events";
import { nextId, op, opAsync } from "deed:native";

const list = () => op("model.list") ?? { models: [], available: [] };
const nameOf = (model) => `${model.provider}/${model.id}`;
const chat = (models) => models.filter((model) => (model.type ?? "chat") === "chat");

function available() {
  const { models, available: names } = list();
  return models.filter((model) => names.includes(nameOf(model)));
}

/** Asks a model outside the session. */
export async function complete(model, context, options = {}) {
  const { signal, onPayload, onResponse, ...rest } = options ?? {};
  signal?.throwIfAborted();
  const id = nextId("model");
  const stop = onAbort(signal, () => op("model.cancel", { id }));
  try {
    return await opAsync("model.complete", { id, model: { provider: model.provider, id: model.id }, context, options: rest });
  } finally {
    stop();
  }
}

const refuse = (name) => unsupported(`'ctx.modelRegistry.${name}'`);
const METHODS = {
  getAll: () => chat(list().models),
  getAvailable: () => chat(available()),
  getError: partly("never one", () => undefined),
  refresh: partly("does nothing: the list is always that of the host", async () => ({ errors: [] })),
  find: (provider, id) => chat(list().models).find((model) => model.provider === provider && model.id === id),
  findOfType: (type, provider, id) => list().models.find((model) => (model.type ?? "chat") === type && model.provider === provider && model.id === id),
  getModelOfType: (type, provider, id) => METHODS.findOfType(type, provider, id),
  getModelsOfType: (type, provider) => list().models.filter((model) => (model.type ?? "chat") === type && (provider === undefined || model.provider === provider)),
  getAvailableOfType: async (type, provider) => available().filter((model) => (model.type ?? "chat") === type && (provider === undefined || model.provider === provider)),
  hasConfiguredAuth: (model) => list().available.includes(nameOf(model)),
  getProviderAuthStatus: (provider) => ({ configured: list().available.some((name) => name.startsWith(`${provider}/`)) }),
  getProviderDisplayName: partly("its name", (provider) => provider),
  getRegisteredProviderIds: partly("always empty", () => []),
  isUsingOAuth: partly("never", () => false),
  complete,
};
for (const name of ["stream", "streamSimple", "classify", "generateImages", "getProvider", "getApiKeyAndHeaders", "getProviderAuth", "getApiKeyForProvider", "registerProvider", "unregisterProvider", "registerVirtualModel", "unregisterVirtualModel", "getRegisteredProviderConfig", "getRegisteredNativeProvider"]) {
  METHODS[name] = refuse(name);
}

export const makeModels = (before) => guarded(METHODS, "ctx.modelRegistry", before);
