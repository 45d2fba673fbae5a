// Made by make-exports.mjs: names of '@earendil-works/pi-agent-core' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("@earendil-works/pi-agent-core", name);
export const Agent = of("Agent");
export const DEFAULT_AGENT_IDENTITY = of("DEFAULT_AGENT_IDENTITY");
export const agentLoop = of("agentLoop");
export const agentLoopContinue = of("agentLoopContinue");
export const runAgentLoop = of("runAgentLoop");
export const runAgentLoopContinue = of("runAgentLoopContinue");
export const runToolCall = of("runToolCall");
export const setDefaultStreamFn = of("setDefaultStreamFn");
export const streamProxy = of("streamProxy");
