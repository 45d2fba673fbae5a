// The object `pi` that an extension's factory gets.

import { codedError, guarded, partly, UnsupportedError, unsupported } from "deed:errors";
import { emit, on as listen } from "deed:host/bus";
import { runExec } from "deed:host/exec";
import { assertFresh, commands, flags, handlers, renderers, shortcuts } from "deed:host/state";
import { registerTool } from "deed:host/tools";
import { op, opAsync } from "deed:native";

function on(name, handler) {
  if (typeof handler !== "function") throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `the handler of '${name}' must be a function`);
  const entry = (event, context) => handler(event, context);
  if (!handlers.has(name)) {
    op("register.handler", { event: name });
    handlers.set(name, []);
  }
  handlers.set(name, [...handlers.get(name), entry]);
  return () => forget(name, entry);
}

function forget(name, entry) {
  const left = (handlers.get(name) ?? []).filter((other) => other !== entry);
  if (left.length > 0) handlers.set(name, left);
  else if (handlers.delete(name)) op("unregister.handler", { event: name });
}

function registerCommand(name, options) {
  if (typeof options?.handler !== "function") throw new TypeError(`the command '${name}' needs a function \`handler\``);
  op("register.command", { name, description: options.description, hasCompletions: typeof options.getArgumentCompletions === "function" });
  commands.set(name, options);
}

function registerShortcut(key, options) {
  if (typeof options?.handler !== "function") throw new TypeError(`the shortcut '${key}' needs a function \`handler\``);
  op("register.shortcut", { key, description: options.description });
  shortcuts.set(key, options);
}

function registerFlag(name, options) {
  op("register.flag", { name, type: options.type, default: options.default, description: options.description });
  flags.set(name, { default: options.default, value: flags.get(name)?.value });
}

function getFlag(name) {
  const flag = flags.get(name);
  if (!flag) return undefined;
  if (flag.value !== undefined) return flag.value;
  return op("flag.get", { name })?.value ?? flag.default;
}

const registerRenderer = (kind) => (type, render) => {
  op("register.renderer", { kind, type });
  renderers[kind].set(type, render);
};

function registerToolRenderer(resolver) {
  op("register.renderer", { kind: "tool" });
  renderers.tool.push(resolver);
}

const MARKDOWN_TYPES = ["user", "assistant", "assistant-thinking"];
function registerMarkdownTransformer(transform, options) {
  const types = new Set(options?.messageTypes ?? MARKDOWN_TYPES);
  op("register.renderer", { kind: "markdown", types: [...types] });
  renderers.markdown.push({ transform, types });
}

const PROVIDER_FUNCTIONS = ["streamSimple", "oauth", "refreshModels", "images", "classifiers"];
function registerProvider(name, config) {
  if (typeof name !== "string") throw new UnsupportedError("'pi.registerProvider' with a provider object");
  const member = PROVIDER_FUNCTIONS.find((key) => config?.[key] !== undefined);
  if (member) throw new UnsupportedError(`'${member}' of 'pi.registerProvider'`);
  op("provider.register", { name, config });
}

function sendMessage(message, options) {
  if (typeof message?.customType !== "string") throw new TypeError("a message needs a `customType`");
  op("message.send", { message, options });
}

const MEMBERS = {
  on,
  registerTool,
  registerCommand,
  registerShortcut,
  registerFlag,
  getFlag,
  registerMessageRenderer: registerRenderer("message"),
  registerEntryRenderer: registerRenderer("entry"),
  registerToolRenderer,
  registerMarkdownTransformer,
  registerProvider: partly("by configuration alone: no provider object, no `streamSimple`, `oauth`, `refreshModels`, `images`, `classifiers`", registerProvider),
  unregisterProvider: (name) => void op("provider.unregister", { name }),
  registerVirtualModel: unsupported("'pi.registerVirtualModel'"),
  unregisterVirtualModel: unsupported("'pi.unregisterVirtualModel'"),
  registerMcpServer: unsupported("'pi.registerMcpServer'"),
  unregisterMcpServer: unsupported("'pi.unregisterMcpServer'"),
  getMcpServers: partly("there are none", () => []),
  sendMessage,
  sendUserMessage: (content, options) => void op("message.sendUser", { content, options }),
  appendEntry: (customType, data) => void op("entry.append", { customType, data }),
  setLabel: (entryId, label) => void op("label.set", { entryId, label: label ?? null }),
  setSessionName: (name) => void op("session.setName", { name }),
  getSessionName: () => op("session.info")?.name ?? undefined,
  exec: runExec,
  getActiveTools: () => op("tools.active").names,
  getAllTools: () => op("tools.all").tools,
  setActiveTools: (names) => void op("tools.setActive", { names: [...names] }),
  getSettings: () => op("settings.get").settings,
  getCommands: () => op("commands.all").commands,
  setModel: async (model) => (await opAsync("model.set", { provider: model.provider, id: model.id })).ok,
  getThinkingLevel: () => op("thinking.get").level,
  setThinkingLevel: (level) => void op("thinking.set", { level }),
  events: { on: listen, emit },
};

/** The names that extensions written for Pi may use. */
export const apiNames = Object.keys(MEMBERS);
export const pi = guarded(MEMBERS, "pi", assertFresh);
