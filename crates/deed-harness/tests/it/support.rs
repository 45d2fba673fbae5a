use std::path::PathBuf;
use std::sync::Arc;

use deed_harness::{AgentSession, SessionBuilder};
use deed_protocol::{
    AssistantMessage, ContentBlock, Message, StopReason, ToolCall, ToolResult, ToolResultMessage,
};
pub(crate) use deed_testing::Asked;
use deed_testing::{HostTool, WatchedModel, Workplace};
use deed_tooling::{ToolContext, ToolDefinition};
use serde_json::Value;
use serde_json::value::to_raw_value;
use tokio_util::sync::CancellationToken;

/// Where the sessions of a test work.
pub(crate) struct Place(Workplace);

impl Place {
    pub(crate) fn new() -> Self {
        Self(Workplace::new())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(crate) fn output_folder(&self) -> PathBuf {
        self.0.beside("output")
    }

    pub(crate) fn put(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn builder(&self) -> SessionBuilder {
        self.0.builder()
    }

    /// Puts a session together that plays a script: an array of turns.
    pub(crate) fn session(
        &self,
        script: Value,
        change: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Played {
        let model = WatchedModel::playing(&script);
        let session = change(self.builder().model(model.clone())).build().unwrap();
        Played { session, model }
    }

    /// As [`Place::session`], and prompts it.
    pub(crate) async fn play(
        &self,
        script: Value,
        change: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Played {
        let played = self.session(script, change);
        played.prompt().await;
        played
    }
}

/// A session and what its model was asked.
pub(crate) struct Played {
    pub(crate) session: AgentSession,
    model: Arc<WatchedModel>,
}

impl Played {
    pub(crate) async fn prompt(&self) {
        let end = self.session.prompt(vec![Message::user("go", 0)]).await;
        let end = end.unwrap();
        assert_eq!(end.error, None);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.model.asked()
    }

    pub(crate) fn results(&self) -> Vec<ToolResultMessage> {
        results_in(&self.session.agent().messages())
    }

    /// Returns the result of a call by its id.
    #[track_caller]
    pub(crate) fn result(&self, id: &str) -> ToolResultMessage {
        let mut results = self.results();
        results.retain(|result| &*result.tool_call_id == id);
        assert_eq!(results.len(), 1, "results of {id}");
        results.remove(0)
    }
}

pub(crate) fn results_in(messages: &[Arc<Message>]) -> Vec<ToolResultMessage> {
    let results = messages.iter().filter_map(|one| one.as_tool_result());
    results.cloned().collect()
}

pub(crate) fn text_of(result: &ToolResultMessage) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Runs calls that no model made.
pub(crate) async fn run_calls(
    session: &AgentSession,
    calls: &[(&str, Value)],
) -> Vec<ToolResultMessage> {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let arguments = to_raw_value(arguments).unwrap();
        let call = ToolCall::new(format!("c{}", index + 1), *name, arguments.into());
        message.content.push(call.into());
    }
    let outcome = session.run_calls(message, &CancellationToken::new()).await;
    results_in(&outcome.results)
}

/// Makes a tool of the host that answers at once.
pub(crate) fn host_tool(
    name: &str,
    act: impl Fn(&ToolContext) -> ToolResult + Send + Sync + 'static,
) -> HostTool {
    HostTool::new(name, move |context| std::future::ready(act(&context)))
}

/// A tool that changes the active set.
pub(crate) fn changing(
    name: &str,
    change: impl Fn(&ToolContext) + Send + Sync + 'static,
) -> Arc<dyn ToolDefinition> {
    let act = move |context: &ToolContext| {
        change(context);
        ToolResult::text("changed")
    };
    host_tool(name, act).shared()
}
