//! What scripts say to the model and to the session.

use deed_extensions::Delivery;
use deed_protocol::{CustomMessage, UserContent};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Op, OpContext, OpError, OpResult, Row, done, read, say};

pub(super) const ROWS: &[Row] = &[
    ("message.send", Op::Now(send)),
    ("message.sendUser", Op::Now(send_user)),
    ("session.info", Op::Now(info)),
    ("session.entries", Op::Now(entries)),
    ("session.setName", Op::Now(name)),
    ("entry.append", Op::Now(append)),
    ("label.set", Op::Now(label)),
    ("report.error", Op::Now(report)),
    ("bus.emit", Op::Now(emit)),
    ("operation.data", Op::Now(operation_data)),
];

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    trigger_turn: Option<bool>,
    deliver_as: Option<String>,
}

impl Options {
    /// Errors: it is none.
    fn delivery(&self) -> Result<Delivery, OpError> {
        match self.deliver_as.as_deref() {
            Some("followUp") => Ok(Delivery::FollowUp),
            Some("steer") | None => Ok(Delivery::Steer),
            Some("nextTurn") => Ok(Delivery::NextTurn),
            Some(other) => Err(OpError::failed(format!(
                "deliverAs is `{other}`; it is steer, followUp or nextTurn"
            ))),
        }
    }
}

#[derive(Deserialize)]
struct Send {
    message: Value,
    options: Option<Options>,
}

fn send(context: &OpContext, json: &str) -> OpResult {
    let Send {
        mut message,
        options,
    } = read(json)?;
    let options = options.unwrap_or_default();
    if let Some(message) = message.as_object_mut() {
        message.entry("content").or_insert_with(|| "".into());
    }
    let message: CustomMessage = serde_json::from_value(message)
        .map_err(|error| OpError::failed(format!("the message makes no sense: {error}")))?;
    let api = context.api()?;
    let is_idle = api.context().map_err(OpError::failed)?.is_idle();
    let delivery = match options.trigger_turn {
        // Nobody is to be woken, so it waits for whoever prompts next.
        None | Some(false) if is_idle => Delivery::NextTurn,
        _ => options.delivery()?,
    };
    api.send_message(message, delivery)
        .map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct SendUser {
    content: UserContent,
    options: Option<Options>,
}

fn send_user(context: &OpContext, json: &str) -> OpResult {
    let SendUser { content, options } = read(json)?;
    let delivery = options.unwrap_or_default().delivery()?;
    let sent = context.api()?.send_user_message(content, delivery);
    sent.map_err(OpError::failed)?;
    done()
}

fn info(context: &OpContext, _: &str) -> OpResult {
    let session = context.api()?.context().map_err(OpError::failed)?;
    let view = session.session();
    let file = view.file();
    say(json!({
        "id": view.id(),
        "name": view.name(),
        "dir": file.as_ref().and_then(|file| file.parent()),
        "file": file,
        "cwd": session.cwd(),
        "header": Value::Null,
    }))
}

fn entries(context: &OpContext, _: &str) -> OpResult {
    let recorded = context.api()?.get_entries().map_err(OpError::failed)?;
    say(json!({ "entries": recorded.entries, "leafId": recorded.leaf_id }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Append {
    custom_type: String,
    #[serde(default)]
    data: Value,
}

fn append(context: &OpContext, json: &str) -> OpResult {
    let Append { custom_type, data } = read(json)?;
    let added = context.api()?.append_entry(&custom_type, data);
    added.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Label {
    entry_id: String,
    label: Option<String>,
}

fn label(context: &OpContext, json: &str) -> OpResult {
    let Label { entry_id, label } = read(json)?;
    let marked = context.api()?.set_label(&entry_id, label.as_deref());
    marked.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

fn name(context: &OpContext, json: &str) -> OpResult {
    let Name { name } = read(json)?;
    let named = context.api()?.set_session_name(&name);
    named.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct Report {
    event: String,
    error: Value,
    stack: Option<String>,
}

/// One of the script's handlers failed, and the others went on.
fn report(context: &OpContext, json: &str) -> OpResult {
    let Report {
        event,
        error,
        stack,
    } = read(json)?;
    let error = match error {
        Value::String(text) => text,
        other => other
            .get("message")
            .and_then(Value::as_str)
            .map_or(other.to_string(), str::to_owned),
    };
    let place = stack.as_deref().and_then(|stack| {
        let frame = stack
            .lines()
            .find(|line| line.trim_start().starts_with("at "))?;
        Some(format!(" ({})", frame.trim().trim_start_matches("at ")))
    });
    let text = format!("{error}{}", place.unwrap_or_default());
    match (context.api(), crate::events::known(&event)) {
        (Ok(api), Some(event)) => api.report_failure(event, text),
        _ => context.log(super::LogLevel::Error, &format!("{event}: {text}")),
    }
    done()
}

#[derive(Deserialize)]
struct Emit {
    channel: String,
    #[serde(default)]
    data: Value,
}

/// Handlers of the script itself have heard of it.
fn emit(context: &OpContext, json: &str) -> OpResult {
    let Emit { channel, data } = read(json)?;
    if let Some(running) = context.bridge.running() {
        running
            .bridge
            .options
            .bus
            .tell(&running, &channel, &data.to_string());
    }
    done()
}

#[derive(Deserialize)]
struct Output {
    call: u64,
    base64: String,
}

/// A command that runs through the script printed something.
fn operation_data(context: &OpContext, json: &str) -> OpResult {
    let Output { call, base64 } = read(json)?;
    context
        .bridge
        .outputs
        .take(call, &super::files::from_base64(&base64)?);
    done()
}
