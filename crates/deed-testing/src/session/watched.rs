use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{AssistantMessage, Message};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The scripted model, with a record of what it is asked.
#[derive(Debug)]
pub struct WatchedModel {
    inner: ScriptedModel,
    asked: Mutex<Vec<Asked>>,
}

/// What a model was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The system prompt.
    pub system: String,
    /// The names of the tools.
    pub tools: Vec<String>,
    /// The transcript.
    pub messages: Vec<Arc<Message>>,
}

impl WatchedModel {
    /// Makes a model that plays a script: an array of turns.
    pub fn playing(script: &Value) -> Arc<Self> {
        let script = Script::parse(&script.to_string()).expect("a script");
        Arc::new(Self {
            inner: ScriptedModel::new(script, || 0),
            asked: Mutex::default(),
        })
    }

    /// Returns what it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("a lock").clone()
    }
}

impl Asked {
    /// Tells whether the model was told of a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name)
    }

    /// Returns all messages as JSON text.
    pub fn text(&self) -> String {
        serde_json::to_string(&self.messages).expect("messages")
    }
}

impl Model for WatchedModel {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        let names = request.tools.names();
        self.asked.lock().expect("a lock").push(Asked {
            system: request.system.to_string(),
            tools: names.iter().map(|name| name.to_string()).collect(),
            messages: request.messages.to_vec(),
        });
        self.inner.respond(request, deltas, cancel)
    }
}
