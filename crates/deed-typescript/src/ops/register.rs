//! What scripts register, while they load and later.

use std::sync::Arc;

use deed_extensions::{Draws, ExtensionError, FlagKind, FlagValue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{LogLevel, Op, OpContext, OpError, OpResult, Row, Scope, done, read, say};
use crate::events;
use crate::running::Running;
use crate::tool::{Registration, ScriptTool};

pub(super) const ROWS: &[Row] = &[
    ("register.tool", Op::Now(tool)),
    ("unregister.tool", Op::Now(drop_tool)),
    ("register.command", Op::Now(command)),
    ("register.flag", Op::Now(flag)),
    ("register.handler", Op::Now(handler)),
    ("unregister.handler", Op::Now(drop_handler)),
    ("register.shortcut", Op::Now(shortcut)),
    ("flag.get", Op::Now(flag_value)),
];

pub(super) fn running(context: &OpContext) -> Result<Arc<Running>, OpError> {
    let running = context.bridge.running();
    running.ok_or_else(|| OpError::failed("the session has ended"))
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

fn tool(context: &OpContext, json: &str) -> OpResult {
    let registration: Registration = read(json)?;
    let (name, draws) = (registration.name.clone(), registration.draws());
    let tool = ScriptTool::new(registration, running(context)?).map_err(OpError::failed)?;
    let api = context.api()?;
    // What another one has is a diagnostic of the session, not a fault of the script.
    if let Err(error) = api.register_tool(Arc::new(tool)) {
        context.log(LogLevel::Warning, &error.to_string());
        return done();
    }
    activated_by_call(context, &name);
    if draws {
        super::drawing::register(context, Draws::Tool(name))?;
    }
    done()
}

/// A tool that one registers while a call of it runs was brought by that call.
fn activated_by_call(context: &OpContext, name: &str) {
    if let Some(call) = context.bridge.only_call()
        && call
            .actions()
            .active_tools()
            .iter()
            .any(|active| **active == *name)
    {
        call.actions().activate_tools(&[name.into()]);
    }
}

fn drop_tool(context: &OpContext, json: &str) -> OpResult {
    let Named { name } = read(json)?;
    say(context
        .api()?
        .unregister_tool(&name)
        .map_err(OpError::failed)?)
}

#[derive(Deserialize)]
struct CommandArgs {
    name: String,
    description: Option<String>,
}

fn command(context: &OpContext, json: &str) -> OpResult {
    let CommandArgs { name, description } = read(json)?;
    let (running, called) = (running(context)?, name.clone());
    let description = description.unwrap_or_default();
    let registered = context
        .api()?
        .register_command(&name, &description, move |args, context| {
            let scope = running.bridge.open(Scope::Handler(context.clone()));
            let asked = vec![called.clone(), args.to_owned(), scope.id.clone()];
            let running = running.clone();
            Box::pin(async move {
                let _scope = scope;
                let ran = running.call("command", asked).await;
                ran.map(drop).map_err(ExtensionError::new)
            })
        });
    registered.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct ShortcutArgs {
    key: String,
    description: Option<String>,
}

fn shortcut(context: &OpContext, json: &str) -> OpResult {
    let ShortcutArgs { key, description } = read(json)?;
    let (running, called) = (running(context)?, key.clone());
    let description = description.unwrap_or_default();
    let registered = context
        .api()?
        .register_shortcut(&key, &description, move |context| {
            let scope = running.bridge.open(Scope::Handler(context.clone()));
            let asked = vec![called.clone(), scope.id.clone()];
            let running = running.clone();
            Box::pin(async move {
                let _scope = scope;
                let ran = running.call("shortcut", asked).await;
                ran.map(drop).map_err(ExtensionError::new)
            })
        });
    registered.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct FlagArgs {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    default: Option<Value>,
    description: Option<String>,
}

fn flag(context: &OpContext, json: &str) -> OpResult {
    let args: FlagArgs = read(json)?;
    let kind = match args.kind.as_deref() {
        Some("string") => FlagKind::Text,
        Some("boolean") | None => FlagKind::Switch,
        Some(other) => {
            let text = format!(
                "the flag `{}` is a `{other}`; it is boolean or string",
                args.name
            );
            return Err(OpError::failed(text));
        }
    };
    let default = args.default.and_then(|value| match value {
        Value::Bool(on) => Some(FlagValue::Switch(on)),
        Value::String(text) => Some(FlagValue::Text(text)),
        _ => None,
    });
    let description = args.description.unwrap_or_default();
    let registered = context
        .api()?
        .register_flag(&args.name, kind, default, &description);
    registered.map_err(OpError::failed)?;
    done()
}

fn flag_value(context: &OpContext, json: &str) -> OpResult {
    let Named { name } = read(json)?;
    let value = context.api()?.get_flag(&name).map_err(OpError::failed)?;
    say(json!({ "value": value.map(|value| match value {
        FlagValue::Switch(on) => Value::Bool(on),
        FlagValue::Text(text) => Value::String(text),
    }) }))
}

#[derive(Deserialize)]
struct HandlerArgs {
    event: String,
}

fn handler(context: &OpContext, json: &str) -> OpResult {
    let HandlerArgs { event } = read(json)?;
    let running = running(context)?;
    context.want(&event, true);
    if running.is_listening(&event) {
        return done();
    }
    match events::listen(&event, context.api()?, &running) {
        Some(listening) => {
            running.listens(&event, listening.map_err(OpError::failed)?);
        }
        None => context.log(LogLevel::Debug, &format!("nothing tells of '{event}' here")),
    }
    done()
}

/// The handler stays and lets the event pass, so that its place among others stays too.
fn drop_handler(context: &OpContext, json: &str) -> OpResult {
    let HandlerArgs { event } = read(json)?;
    context.want(&event, false);
    done()
}
