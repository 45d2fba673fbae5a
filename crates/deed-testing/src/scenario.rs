use std::sync::Arc;

use deed_agent::{
    Agent, AgentHooks, AgentTool, Batch, BatchRunner, EventBus, Gate, Limits, Normalise, Redactor,
    RunEnd, Seams, ToolSet, TurnInputs,
};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{
    AssistantMessage, ContentBlock, Message, StopReason, ThinkingLevel, ToolCall, ToolResultMessage,
};
use serde_json::Value;
use serde_json::value::to_raw_value;
use tokio_util::sync::CancellationToken;

use crate::EventLog;

/// A run to be: tools, a script, and whatever else a test puts in.
#[derive(Clone, Debug)]
pub struct Scenario {
    seams: Seams,
    tools: Vec<ToolName>,
    log: Arc<EventLog>,
}

/// Keeps `Scenario` printable.
#[derive(Clone)]
struct ToolName(Arc<dyn AgentTool>);

impl std::fmt::Debug for ToolName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.spec().name)
    }
}

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub end: RunEnd,
    /// Every event as a line, in order.
    pub events: String,
    /// The agent, to go on with.
    pub agent: Agent,
}

impl Default for Scenario {
    fn default() -> Self {
        Self::new()
    }
}

impl Scenario {
    /// Makes a scenario without tools, with a clock that stands at 0.
    pub fn new() -> Self {
        let seams = Seams::open(EventBus::new(), || 0);
        let log = Arc::new(EventLog::default());
        seams.bus.add_sink(log.clone());
        Self {
            seams,
            tools: Vec::new(),
            log,
        }
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: impl AgentTool) -> Self {
        self.tools.push(ToolName(Arc::new(tool)));
        self
    }

    /// Takes other hooks.
    pub fn hooks(mut self, hooks: impl AgentHooks) -> Self {
        self.seams.hooks = Arc::new(hooks);
        self
    }

    /// Takes another gate.
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.seams.gate = gate;
        self
    }

    /// Takes another normaliser.
    pub fn normalise(mut self, normalise: impl Normalise) -> Self {
        self.seams.normalise = Arc::new(normalise);
        self
    }

    /// Takes another redactor.
    pub fn redactor(mut self, redactor: impl Redactor) -> Self {
        self.seams.redactor = Arc::new(redactor);
        self
    }

    /// Takes other bounds.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.seams.limits = limits;
        self
    }

    /// Returns the bus, to listen on.
    pub fn bus(&self) -> &EventBus {
        &self.seams.bus
    }

    /// Returns the log that all events go into.
    pub fn log(&self) -> &Arc<EventLog> {
        &self.log
    }

    /// Makes the agent without running it.
    pub fn agent(&self, script: &str) -> Agent {
        let script = Script::parse(script).expect("a script");
        let inputs = TurnInputs {
            tools: Arc::new(self.tool_set()),
            system: "".into(),
            model: Arc::new(ScriptedModel::new(script, || 0)),
            thinking: ThinkingLevel::Off,
        };
        Agent::new(self.seams.clone(), inputs, Vec::new())
    }

    /// Prompts with `go` and runs the script to its end.
    pub async fn run(&self, script: &str) -> Finished {
        let agent = self.agent(script);
        let end = agent
            .prompt(vec![Message::user("go", 0)])
            .await
            .expect("an idle agent");
        Finished {
            end,
            events: self.log.text(),
            agent,
        }
    }

    /// Runs calls as one batch, without a model.
    pub async fn batch(
        &self,
        calls: &[(&str, Value)],
        cancel: &CancellationToken,
    ) -> Vec<ToolResultMessage> {
        let ids: Vec<String> = (1..=calls.len())
            .map(|number| format!("c{number}"))
            .collect();
        let named: Vec<_> = ids
            .iter()
            .zip(calls)
            .map(|(id, (name, args))| (id.as_str(), *name, args.clone()))
            .collect();
        self.batch_of(&named, cancel).await
    }

    /// As [`Scenario::batch`], with an id before each call.
    pub async fn batch_of(
        &self,
        calls: &[(&str, &str, Value)],
        cancel: &CancellationToken,
    ) -> Vec<ToolResultMessage> {
        let assistant = Arc::new(Message::Assistant(assistant_calling(calls)));
        let batch = Batch {
            assistant,
            tools: Arc::new(self.tool_set()),
        };
        let outcome = BatchRunner::new(self.seams.clone())
            .run(&batch, cancel)
            .await;
        outcome
            .results
            .iter()
            .filter_map(|one| one.as_tool_result().cloned())
            .collect()
    }

    fn tool_set(&self) -> ToolSet {
        ToolSet::new(self.tools.iter().map(|tool| tool.0.clone()))
    }
}

/// Runs one call of one tool through the real runner, everything allowed.
pub async fn run_tool(tool: Arc<dyn AgentTool>, args: Value) -> ToolResultMessage {
    let name = tool.spec().name.clone();
    let mut scenario = Scenario::new();
    scenario.tools.push(ToolName(tool));
    let cancel = CancellationToken::new();
    let mut results = scenario.batch(&[(&name, args)], &cancel).await;
    results.pop().expect("a result")
}

fn assistant_calling(calls: &[(&str, &str, Value)]) -> AssistantMessage {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    message.content = calls
        .iter()
        .map(|(id, name, args)| {
            let raw = to_raw_value(args).expect("arguments");
            let call = ToolCall::new(*id, *name, Arc::from(raw));
            ContentBlock::ToolCall(call)
        })
        .collect();
    message
}
