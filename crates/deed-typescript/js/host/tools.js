// Registering tools, and running them.

import { BUILTIN } from "deed:host/builtin-tools";
import { toolContext } from "deed:host/context";
import { controllerOf, forgetController, tools, within } from "deed:host/state";
import { op } from "deed:native";

const TEXT_FIELDS = ["label", "description", "promptSnippet", "executionMode", "replay", "renderShell", "exposure"];
const OTHER_FIELDS = ["parameters", "promptGuidelines", "constrainedSampling", "outputSchema", "annotations", "defaultActive"];

/** Fields of Pi's that are taken and not used, and those that say so. */
export const FIELD_NOTES = {
  annotations: "not used",
  constrainedSampling: "not used",
  defaultActive: "not used: a tool is active when it is registered",
  exposure: "not used",
  outputSchema: "not used",
};
/** All fields of a definition that are looked at. */
export const FIELDS = ["name", "execute", "prepareArguments", "renderCall", "renderResult", ...TEXT_FIELDS, ...OTHER_FIELDS];

function check(tool) {
  if (typeof tool !== "object" || tool === null) throw new TypeError("registerTool needs a tool definition");
  if (typeof tool.name !== "string" || tool.name === "") throw new TypeError("a tool needs a `name`");
  if (typeof tool.parameters !== "object" || tool.parameters === null) throw new TypeError(`the tool '${tool.name}' needs \`parameters\`: an object schema, such as Type.Object({})`);
  if (typeof tool.execute !== "function") throw new TypeError(`the tool '${tool.name}' needs a function \`execute\``);
}

/** Tells which built-in tool the host may run in its place: one whose `execute` nobody touched. */
function builtinOf(tool) {
  const marker = tool[BUILTIN];
  if (!marker || marker.execute !== tool.execute || marker.hasCallbacks) return undefined;
  return { tool: marker.tool, cwd: marker.cwd, options: marker.options };
}

export function registerTool(tool) {
  check(tool);
  const spec = { name: tool.name, hasPrepareArguments: typeof tool.prepareArguments === "function", hasRenderCall: typeof tool.renderCall === "function", hasRenderResult: typeof tool.renderResult === "function", builtin: builtinOf(tool) };
  for (const field of TEXT_FIELDS) if (tool[field] !== undefined) spec[field] = String(tool[field]);
  for (const field of OTHER_FIELDS) if (tool[field] !== undefined) spec[field] = tool[field];
  op("register.tool", spec);
  tools.set(tool.name, tool);
}

function find(name) {
  const tool = tools.get(name);
  if (!tool) throw new Error(`this extension has no tool '${name}'`);
  return tool;
}

/** Runs the shim that a tool has for arguments of another shape. */
export function prepareArguments(name, args) {
  return find(name).prepareArguments(args);
}

function write(name, value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`the result of the tool '${name}' can't be written as JSON: ${error.message}`);
  }
}

/** Runs a tool; updates go out until the result is there. */
export async function runTool(name, callId, args, scope) {
  const tool = find(name);
  const { signal } = controllerOf(callId);
  let done = false;
  const onUpdate = (partial) => {
    if (!done) op("tool.update", { callId, partial });
  };
  const dispatch = { scope };
  try {
    const value = await within(dispatch, () => tool.execute(callId, args, signal, onUpdate, toolContext(dispatch, callId, signal)));
    done = true;
    return write(name, value);
  } finally {
    done = true;
    forgetController(callId);
  }
}
