// Made by make-exports.mjs: names of '@earendil-works/pi-agent-core' that have no implementation.

import { stubs } from "deed:errors";

export const [Agent, DEFAULT_AGENT_IDENTITY, agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue, runToolCall, setDefaultStreamFn, streamProxy] = stubs("@earendil-works/pi-agent-core", "Agent DEFAULT_AGENT_IDENTITY agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue runToolCall setDefaultStreamFn streamProxy");
