//! A call inside a call.

use std::path::Path;
use std::sync::Arc;

use deed_agent::{
    AllowAll, Allowed, Answer, Batch, BatchRunner, BoxFuture, CallOutcome, Committed, EventBus,
    FrozenCall, Gate, ModelInfo, Question, Refusal, Seams, ToolSet, Verdict,
};
use deed_protocol::{AssistantMessage, Message, ToolResult};
use deed_tooling::{
    ContextSource, HostActions, NoActions, SessionView, ToolDefinition, Ui, wrap_tool_definition,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::super::Scope;
use super::Run;
use crate::Access;
use crate::bridge::Bridge;

/// Runs a tool of the host for a script, and says how it ended.
///
/// The script's own call was decided on; what it does inside, the extension's permissions decide.
pub(super) async fn run(
    bridge: &Arc<Bridge>,
    run: &Arc<Run>,
    tool: &Arc<dyn ToolDefinition>,
    scope: Scope,
    (call_id, args): (&str, Map<String, Value>),
) -> Value {
    let call = json!({
        "content": [{ "type": "toolCall", "id": call_id, "name": tool.spec().name, "arguments": args }],
        "stopReason": "toolUse",
    });
    let Ok(assistant) = serde_json::from_value::<AssistantMessage>(call) else {
        return json!({ "type": "error", "message": "the arguments are no object" });
    };
    let mut seams = Seams::open(EventBus::new(), || 0);
    if let Scope::Tool(outer) = &scope {
        seams.redactor = outer.call.redactor.clone();
    }
    seams.gate = Arc::new(Inner {
        bridge: bridge.clone(),
        run: run.clone(),
    });
    let wrapped = wrap_tool_definition(tool.clone(), Arc::new(Nested(scope)));
    let batch = Batch {
        assistant: Arc::new(Message::Assistant(assistant)),
        tools: Arc::new(ToolSet::new([wrapped])),
    };
    let outcome = BatchRunner::new(seams).run(&batch, &run.cancel).await;
    let result = outcome
        .results
        .first()
        .and_then(|message| message.as_tool_result());
    match result {
        Some(result) if result.is_error => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            json!({ "type": "error", "message": texts.collect::<Vec<_>>().join("\n") })
        }
        Some(result) => json!({
            "type": "done",
            "result": { "content": result.content, "details": result.details },
        }),
        None => json!({ "type": "error", "message": "it gave no result" }),
    }
}

/// Lets the extension's permissions decide.
struct Inner {
    bridge: Arc<Bridge>,
    run: Arc<Run>,
}

impl Inner {
    fn refusal(&self, access: &deed_agent::Access) -> Option<String> {
        let permissions = &self.bridge.options.permissions;
        let refused = |access: Access<'_>| {
            let reason = permissions.check(&access).err()?;
            Some(format!(
                "this extension isn't allowed to {access}: {reason}"
            ))
        };
        match access {
            deed_agent::Access::None => None,
            deed_agent::Access::Read(paths) => {
                paths.iter().find_map(|path| refused(Access::Read(path)))
            }
            deed_agent::Access::Write(paths) => {
                paths.iter().find_map(|path| refused(Access::Write(path)))
            }
            deed_agent::Access::Command { command, .. } => refused(Access::Run(command)),
            deed_agent::Access::Network { host } => refused(Access::Connect(host)),
            deed_agent::Access::Sql { .. } | deed_agent::Access::Opaque => {
                Some("a tool of an extension cannot do that inside of its call".to_owned())
            }
        }
    }
}

impl Gate for Inner {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        let refusal = self.refusal(&call.plan().access);
        Box::pin(async {
            match refusal {
                Some(reason) => Verdict::Deny(Refusal { reason }),
                None => Verdict::Allow,
            }
        })
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        AllowAll.ask(call, question, cancel)
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        AllowAll.commit(batch)
    }

    fn outcome<'a>(&'a self, _: &'a FrozenCall, _: &'a CallOutcome<'a>) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    fn progress(&self, _: &FrozenCall, partial: &ToolResult) {
        self.run
            .say(json!({ "type": "update", "partial": partial }));
    }
}

/// The context of the outer call, or of the handler that runs the tool.
struct Nested(Scope);

impl ContextSource for Nested {
    fn cwd(&self) -> &Path {
        match &self.0 {
            Scope::Handler(context) | Scope::Guard(context, _) => context.cwd(),
            Scope::Tool(context) => context.cwd(),
        }
    }

    fn model(&self) -> Option<ModelInfo> {
        match &self.0 {
            Scope::Handler(context) | Scope::Guard(context, _) => context.model(),
            Scope::Tool(context) => context.model(),
        }
    }

    fn session(&self) -> &dyn SessionView {
        match &self.0 {
            Scope::Handler(context) | Scope::Guard(context, _) => context.session(),
            Scope::Tool(context) => context.session(),
        }
    }

    fn ui(&self) -> &dyn Ui {
        self.0.ui()
    }

    fn actions(&self) -> &dyn HostActions {
        match &self.0 {
            Scope::Tool(context) => context.actions(),
            _ => &NoActions,
        }
    }
}
