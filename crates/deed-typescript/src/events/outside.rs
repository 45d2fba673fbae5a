//! What a session reaches beyond its tools: providers, people, their commands, folders.

use std::path::PathBuf;
use std::sync::Arc;

use deed_extensions::{
    AfterProviderResponseEvent, BeforeProviderHeadersEvent, BeforeProviderRequestEvent,
    DiscoveredResources, ProjectTrustEvent, ProjectTrustReply, ResourcesDiscoverEvent, TrustAnswer,
    UiPromptEndEvent, UiPromptStartEvent, UserBashEvent, UserBashReply, UserBashResult,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Bridged;
use super::wire::{take, told};
use crate::bridge::Bridge;
use crate::shell::ScriptShell;

told! {
    UiPromptStartEvent: |e| json!({
        "reason": "ui_prompt",
        "kind": e.kind.as_str(),
        "title": e.title,
    });
    UiPromptEndEvent: |e| json!({
        "reason": "ui_prompt",
        "kind": e.kind.as_str(),
        "title": e.title,
    });
    AfterProviderResponseEvent: |e| json!({
        "status": e.status,
        "headers": e.headers.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    });
}

impl Bridged for BeforeProviderHeadersEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), json!(value)));
        json!({ "headers": headers.collect::<Map<_, _>>() })
    }

    /// A field that a script took out, or set to null, is not sent.
    fn answer(&mut self, mut answer: Value) -> Result<(), String> {
        let Some(headers) = take::<Map<String, Value>>(&mut answer, "headers")? else {
            return Ok(());
        };
        for (_, value) in &mut self.headers {
            *value = None;
        }
        for (name, value) in headers {
            let value = match value {
                Value::Null => None,
                Value::String(text) => Some(text),
                Value::Number(number) => Some(number.to_string()),
                _ => return Err(format!("the header field `{name}` is no text")),
            };
            self.set(&name, value);
        }
        Ok(())
    }
}

impl Bridged for BeforeProviderRequestEvent {
    fn wire(&self, _: &Bridge) -> Value {
        json!({ "payload": *self.payload })
    }

    fn answer(&mut self, mut answer: Value) -> Result<Option<Value>, String> {
        take(&mut answer, "payload")
    }
}

impl Bridged for ResourcesDiscoverEvent {
    fn wire(&self, _: &Bridge) -> Value {
        json!({ "cwd": self.cwd, "reason": self.reason.as_str() })
    }

    fn answer(&mut self, mut answer: Value) -> Result<DiscoveredResources, String> {
        let mut paths = |key: &str| -> Result<Vec<PathBuf>, String> {
            Ok(take(&mut answer, key)?.unwrap_or_default())
        };
        Ok(DiscoveredResources {
            skill_paths: paths("skillPaths")?,
            prompt_paths: paths("promptPaths")?,
            theme_paths: paths("themePaths")?,
        })
    }
}

impl Bridged for ProjectTrustEvent {
    fn wire(&self, _: &Bridge) -> Value {
        json!({ "cwd": self.cwd })
    }

    fn answer(&mut self, mut answer: Value) -> Result<ProjectTrustReply, String> {
        let is_trusted = match take::<String>(&mut answer, "trusted")?.as_deref() {
            Some("yes") => true,
            Some("no") => false,
            Some("undecided") | None => return Ok(ProjectTrustReply::Undecided),
            Some(other) => {
                return Err(format!(
                    "`trusted` is `{other}`; it is yes, no or undecided"
                ));
            }
        };
        Ok(ProjectTrustReply::Decided(TrustAnswer {
            is_trusted,
            remember: take(&mut answer, "remember")?.unwrap_or(false),
        }))
    }
}

/// What a script says of a command that it ran.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ran {
    output: String,
    exit_code: Option<i32>,
    cancelled: bool,
    truncated: bool,
    full_output_path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Kept {
    handle: String,
}

impl Bridged for UserBashEvent {
    const IS_GUARD: bool = true;

    fn wire(&self, _: &Bridge) -> Value {
        json!({
            "command": self.command,
            "excludeFromContext": self.exclude_from_context,
            "cwd": self.cwd,
        })
    }

    fn answer_in(
        &mut self,
        mut answer: Value,
        bridge: &Arc<Bridge>,
    ) -> Result<UserBashReply, String> {
        if let Some(ran) = take::<Ran>(&mut answer, "result")? {
            return Ok(UserBashReply::Result(UserBashResult {
                output: ran.output,
                exit_code: ran.exit_code,
                cancelled: ran.cancelled,
                truncated: ran.truncated,
                full_output_path: ran.full_output_path,
            }));
        }
        let Some(Kept { handle }) = take(&mut answer, "operations")? else {
            return Err("it has neither `result` nor `operations`".to_owned());
        };
        let running = bridge.running().ok_or("the session has ended")?;
        let shell = ScriptShell::new(running, handle);
        Ok(UserBashReply::Operations(Arc::new(shell)))
    }

    fn answer(&mut self, _: Value) -> Result<UserBashReply, String> {
        Ok(UserBashReply::Continue)
    }
}
