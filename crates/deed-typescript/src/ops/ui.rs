//! What scripts ask people, and show them.

use std::sync::Arc;
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_protocol::NoticeLevel;
use deed_tooling::{AskOptions, WidgetPlace};
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::Cancellable;
use super::{LogLevel, Op, OpContext, OpError, OpResult, Row, Scope, done, read, say};

pub(super) const ROWS: &[Row] = &[
    ("ui.select", Op::Later(select)),
    ("ui.confirm", Op::Later(confirm)),
    ("ui.input", Op::Later(input)),
    ("ui.editor", Op::Later(editor)),
    ("ui.cancel", Op::Now(cancel)),
    ("ui.notify", Op::Now(notify)),
    ("ui.setStatus", Op::Now(status)),
    ("ui.setTitle", Op::Now(title)),
    ("ui.setWidget", Op::Now(widget)),
    ("ui.setEditorText", Op::Now(editor_text)),
    ("ui.setWorkingMessage", Op::Now(working_message)),
    ("ui.setWorkingVisible", Op::Now(unseen)),
    ("ui.setWorkingIndicator", Op::Now(unseen)),
    ("ui.setHiddenThinkingLabel", Op::Now(unseen)),
    ("ui.themes", Op::Now(themes)),
];

const FAMILY: &str = "ui";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ask {
    id: Value,
    scope: Option<String>,
    /// Arguments of the call as the script left them, where a guard asks.
    input: Option<Value>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    options: Vec<String>,
    placeholder: Option<String>,
    prefill: Option<String>,
    timeout_ms: Option<f64>,
}

/// A question on its way to a person.
struct Question {
    ask: Ask,
    scope: Scope,
    options: AskOptions,
    _cancellable: Cancellable,
}

impl Question {
    fn new(context: &Arc<OpContext>, json: &str) -> Result<Self, OpError> {
        let mut ask: Ask = read(json)?;
        let scope = context.scope(ask.scope.as_deref())?;
        if let (Scope::Guard(_, event), Some(input)) = (&scope, ask.input.take()) {
            // The person confirms what stands there at this moment.
            event.set_input(input);
        }
        let cancellable = context.cancellable(FAMILY, &ask.id.to_string());
        let timeout = ask.timeout_ms.filter(|ms| ms.is_finite() && *ms >= 0.0);
        Ok(Self {
            options: AskOptions {
                timeout: timeout.map(|ms| Duration::from_secs_f64(ms / 1000.0)),
                cancel: Some(cancellable.token.clone()),
            },
            ask,
            scope,
            _cancellable: cancellable,
        })
    }

    /// Notes that a person agreed, and to what.
    fn note_yes(&self, context: &OpContext) {
        let Ask { title, message, .. } = &self.ask;
        context.bridge.rights.confirmed(&self.scope, title, message);
    }
}

fn select(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let question = Question::new(&context, &json)?;
        let Question {
            ask,
            scope,
            options,
            ..
        } = &question;
        let value = scope.ui().select(&ask.title, &ask.options, options).await;
        if value.is_some() {
            question.note_yes(&context);
        }
        say(json!({ "value": value }))
    })
}

fn confirm(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let question = Question::new(&context, &json)?;
        let Question {
            ask,
            scope,
            options,
            ..
        } = &question;
        let value = scope.ui().confirm(&ask.title, &ask.message, options).await;
        if value {
            question.note_yes(&context);
        }
        say(json!({ "value": value }))
    })
}

fn input(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let question = Question::new(&context, &json)?;
        let Question {
            ask,
            scope,
            options,
            ..
        } = &question;
        let placeholder = ask.placeholder.as_deref();
        let value = scope.ui().input(&ask.title, placeholder, options).await;
        say(json!({ "value": value }))
    })
}

fn editor(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let question = Question::new(&context, &json)?;
        let Question {
            ask,
            scope,
            options,
            ..
        } = &question;
        let prefill = ask.prefill.as_deref();
        let value = scope.ui().editor(&ask.title, prefill, options).await;
        say(json!({ "value": value }))
    })
}

#[derive(Deserialize)]
struct Id {
    id: Value,
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Id { id } = read(json)?;
    context.cancel(FAMILY, &id.to_string());
    done()
}

#[derive(Deserialize)]
struct Notify {
    message: String,
    level: Option<String>,
    scope: Option<String>,
}

fn notify(context: &OpContext, json: &str) -> OpResult {
    let Notify {
        message,
        level,
        scope,
    } = read(json)?;
    let level = match level.as_deref() {
        Some("error") => NoticeLevel::Error,
        Some("warning" | "warn") => NoticeLevel::Warning,
        _ => NoticeLevel::Info,
    };
    context
        .scope(scope.as_deref())?
        .ui()
        .notify(&message, level);
    done()
}

#[derive(Deserialize)]
struct Status {
    key: String,
    text: Option<String>,
    scope: Option<String>,
}

fn status(context: &OpContext, json: &str) -> OpResult {
    let Status { key, text, scope } = read(json)?;
    context
        .scope(scope.as_deref())?
        .ui()
        .status(&key, text.as_deref().map(line).as_deref());
    done()
}

/// Lines of one widget.
const MAX_WIDGET_LINES: usize = 100;
/// Characters of one line that is kept in view.
const MAX_LINE_CHARS: usize = 1000;

/// Makes a line of what a script shows: what would do something to a terminal is left out.
fn line(text: &str) -> String {
    let shown = text.chars().filter(|c| !c.is_control());
    shown.take(MAX_LINE_CHARS).collect()
}

#[derive(Deserialize)]
struct Widget {
    key: String,
    lines: Option<Vec<String>>,
    placement: Option<String>,
    scope: Option<String>,
}

fn widget(context: &OpContext, json: &str) -> OpResult {
    let Widget {
        key,
        lines,
        placement,
        scope,
    } = read(json)?;
    let lines = lines.map(|lines| {
        let shown = lines.iter().take(MAX_WIDGET_LINES);
        shown.map(|text| line(text)).collect::<Vec<_>>()
    });
    let place = match placement.as_deref() {
        Some("belowEditor") => WidgetPlace::BelowEditor,
        _ => WidgetPlace::AboveEditor,
    };
    let scope = context.scope(scope.as_deref())?;
    scope.ui().widget(&key, lines.as_deref(), place);
    done()
}

#[derive(Deserialize)]
struct Title {
    title: String,
    scope: Option<String>,
}

fn title(context: &OpContext, json: &str) -> OpResult {
    let Title { title, scope } = read(json)?;
    context.scope(scope.as_deref())?.ui().title(&line(&title));
    done()
}

#[derive(Deserialize)]
struct EditorText {
    text: String,
    scope: Option<String>,
}

fn editor_text(context: &OpContext, json: &str) -> OpResult {
    let EditorText { text, scope } = read(json)?;
    let kept = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    let text: String = text.chars().filter(kept).collect();
    context.scope(scope.as_deref())?.ui().editor_text(&text);
    done()
}

#[derive(Deserialize)]
struct Working {
    message: Option<String>,
    scope: Option<String>,
}

fn working_message(context: &OpContext, json: &str) -> OpResult {
    let Working { message, scope } = read(json)?;
    let message = message.as_deref().map(line);
    let scope = context.scope(scope.as_deref())?;
    scope.ui().working_message(message.as_deref());
    done()
}

/// Decoration that no front end shows yet.
fn unseen(context: &OpContext, json: &str) -> OpResult {
    context.log(LogLevel::Debug, &format!("not shown by this host: {json}"));
    done()
}

fn themes(_: &OpContext, _: &str) -> OpResult {
    say(json!({ "themes": [] }))
}
