//! What a script draws.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_extensions::{Drawable, DrawnCall, ExtensionError, Renderer};
use deed_protocol::Block;
use deed_tooling::ResultView;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ops::lock;
use crate::running::Running;

/// Which drawing runs in an engine, and which ones an engine died of.
#[derive(Default)]
pub(crate) struct Drawings(Mutex<State>);

#[derive(Default)]
struct State {
    under_way: Option<String>,
    deadly: HashSet<String>,
}

impl Drawings {
    /// A renderer gets the engine.
    pub(crate) fn begin(&self, key: String) {
        lock(&self.0).under_way = Some(key);
    }

    /// It gave the engine back.
    pub(crate) fn end(&self) {
        lock(&self.0).under_way = None;
    }

    /// The engine is dead. What it was drawing is not tried again; returns that.
    pub(crate) fn died(&self) -> Option<String> {
        let mut state = lock(&self.0);
        let key = state.under_way.take()?;
        state.deadly.insert(key.clone());
        Some(key)
    }

    fn is_deadly(&self, key: &str) -> bool {
        lock(&self.0).deadly.contains(key)
    }
}

/// Names a drawing: what is drawn and of what.
pub(crate) fn key_of(kind: &str, name: &str) -> String {
    format!("{kind} {name}")
}

/// Everything that a script draws; which of it, is said where this is registered.
pub(crate) struct ScriptRenderer(pub(crate) Arc<Running>);

/// What the JavaScript host answers.
#[derive(Deserialize)]
struct Drawn {
    blocks: Vec<Block>,
}

impl Renderer for ScriptRenderer {
    fn render<'a>(
        &'a self,
        what: Drawable<'a>,
        view: ResultView,
    ) -> BoxFuture<'a, Result<Option<Vec<Block>>, ExtensionError>> {
        Box::pin(async move {
            let running = &self.0;
            let (kind, name, json) = asked(what, view);
            // One that is disabled has said so.
            if running.disabled().is_some()
                || running.bridge.drawings.is_deadly(&key_of(kind, name))
            {
                return Ok(None);
            }
            let args = vec![kind.to_owned(), name.to_owned(), json.to_string()];
            let drawn = running.call("render", args).await;
            let drawn = drawn.map_err(ExtensionError::new)?;
            let Some(drawn) = drawn.filter(|text| !text.is_empty()) else {
                return Ok(None);
            };
            let drawn: Drawn = serde_json::from_str(&drawn).map_err(|error| {
                ExtensionError::from(format!("what it drew makes no sense: {error}"))
            })?;
            Ok(Some(drawn.blocks))
        })
    }
}

/// Returns what is drawn, of what, and all that is known of it, as the JavaScript host is asked.
fn asked<'a>(what: Drawable<'a>, view: ResultView) -> (&'static str, &'a str, Value) {
    let of_call = |call: DrawnCall<'a>| {
        json!({
            "toolCallId": call.call_id,
            "args": call.args,
            "expanded": view.expanded,
            "isPartial": view.partial,
        })
    };
    match what {
        Drawable::Message(message) => (
            "message",
            &message.custom_type,
            json!({ "message": message, "expanded": view.expanded }),
        ),
        Drawable::Entry(entry) => (
            "entry",
            entry
                .get("customType")
                .and_then(Value::as_str)
                .unwrap_or_default(),
            json!({ "entry": entry, "expanded": view.expanded }),
        ),
        Drawable::Call(call) => ("call", call.tool_name, of_call(call)),
        Drawable::Result(call, result) => {
            let mut asked = of_call(call);
            if let Some(asked) = asked.as_object_mut() {
                asked.insert("result".to_owned(), json!(result));
                asked.insert("isError".to_owned(), result.is_error.into());
            }
            ("result", call.tool_name, asked)
        }
    }
}
