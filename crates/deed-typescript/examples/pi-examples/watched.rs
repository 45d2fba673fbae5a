use std::sync::Arc;

use deed_agent::{BoxFuture, ExchangeHooks, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{AssistantMessage, Message};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::person::Log;

/// A model, with a record of what it is asked.
pub(crate) struct Watched {
    inner: Arc<dyn Model>,
    info: ModelInfo,
    log: Log,
}

impl Watched {
    pub(crate) fn new(inner: Arc<dyn Model>, log: &Log) -> Self {
        Self {
            info: inner.info().clone(),
            inner,
            log: log.clone(),
        }
    }

    /// Makes one that says what it is told to.
    pub(crate) fn scripted(turns: &[Value], log: &Log) -> Self {
        let nothing = [serde_json::json!({ "say": "nothing to say" })];
        let turns = if turns.is_empty() { &nothing } else { turns };
        let script = Script::parse(&serde_json::json!(turns).to_string()).expect("turns");
        Self::new(Arc::new(ScriptedModel::new(script, || 0)), log)
    }

    /// Gives it another name.
    pub(crate) fn named(mut self, id: &str) -> Self {
        self.info.id = id.into();
        self
    }

    fn note(&self, request: &ModelRequest) {
        let mut asked = request.messages.iter().rev();
        let last = asked.find(|message| matches!(&***message, Message::User(_)));
        let prompt = last.map(|last| serde_json::to_string(last).unwrap_or_default());
        self.log
            .add(format!("prompted {}", prompt.unwrap_or_default()));
        self.log.add(format!(
            "asked is {}, thinking {}",
            self.info.id, request.thinking
        ));
        self.log.add(format!("system {}", request.system));
        let names = request.tools.names();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        self.log.add(format!("tools {}", names.join(" ")));
    }
}

impl Model for Watched {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.note(request);
        self.inner.respond(request, deltas, cancel)
    }

    fn respond_seen<'a>(
        &'a self,
        request: &'a ModelRequest,
        seen: &'a dyn ExchangeHooks,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.note(request);
        self.inner.respond_seen(request, seen, deltas, cancel)
    }
}
