//! What scripts may know of the host and of the session.

use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Op, OpContext, OpError, OpResult, Row, Scope, done, read, say};

pub(super) const ROWS: &[Row] = &[
    ("host.info", Op::Now(info)),
    ("ctx.get", Op::Now(get)),
    ("ctx.abort", Op::Now(abort)),
    ("ctx.compact", Op::Now(compact)),
    ("settings.get", Op::Now(settings)),
];

/// The folder of a project that belongs to the program.
const CONFIG_DIR_NAME: &str = ".deed";
/// What scripts are told of the version they were written for.
const PI_VERSION: &str = "1.6.0";

fn info(context: &OpContext, _: &str) -> OpResult {
    let options = &context.bridge.options;
    say(json!({
        "cwd": options.cwd,
        "platform": node_platform(),
        "arch": node_arch(),
        // As of a program that is one file: there is no script to be named.
        "argv": [options.program],
        "execPath": options.program,
        "pid": std::process::id(),
        "env": options.env,
        "version": env!("CARGO_PKG_VERSION"),
        "piVersion": PI_VERSION,
        "agentDir": options.agent_dir,
        "configDirName": CONFIG_DIR_NAME,
        "homedir": options.home,
        "tmpdir": options.temp,
    }))
}

/// Tells what the program says of its settings.
fn settings(context: &OpContext, _: &str) -> OpResult {
    say(json!({ "settings": *context.bridge.options.settings }))
}

fn node_platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn node_arch() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

type Getter = fn(&OpContext, &Scope) -> Result<Value, OpError>;

/// Live values of a context.
const VALUES: &[(&str, Getter)] = &[
    ("hasUI", |_, scope| Ok(scope.ui().has_ui().into())),
    ("model", |_, scope| Ok(model(scope))),
    ("run", |context, _| run(context)),
    ("isIdle", |context, _| {
        Ok(session(context)?.is_idle().into())
    }),
    ("systemPrompt", |context, _| {
        Ok((&*session(context)?.system_prompt()).into())
    }),
    ("scopedModels", |_, _| Ok(json!([]))),
    ("hasPendingMessages", |context, _| {
        Ok(session(context)?.has_pending_messages().into())
    }),
    ("isProjectTrusted", |context, _| {
        Ok(context.bridge.options.is_project_trusted.into())
    }),
    ("thinkingLevel", |context, _| {
        Ok(session(context)?.thinking_level().as_str().into())
    }),
    ("systemPromptOptions", |context, _| {
        Ok(prompt_options(context))
    }),
    ("contextUsage", |context, _| usage(context)),
];

#[derive(Deserialize)]
struct Get {
    key: String,
    scope: Option<String>,
}

fn get(context: &OpContext, json: &str) -> OpResult {
    let Get { key, scope } = read(json)?;
    let options = &context.bridge.options;
    match key.as_str() {
        "cwd" => return say(&options.cwd),
        "mode" => return say(&options.mode),
        _ => {}
    }
    let row = VALUES.iter().find(|(name, _)| *name == key);
    let (_, getter) = row.ok_or_else(|| OpError::unsupported(&format!("ctx.{key}")))?;
    say(getter(context, &context.scope(scope.as_deref())?)?)
}

fn session(context: &OpContext) -> Result<deed_extensions::ExtensionContext, OpError> {
    context.api()?.context().map_err(OpError::failed)
}

fn usage(context: &OpContext) -> Result<Value, OpError> {
    let usage = session(context)?.context_usage();
    Ok(usage.map_or(Value::Null, |usage| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of windows of some million tokens"
        )]
        let percent = usage.tokens as f64 / usage.context_window as f64 * 100.0;
        json!({
            "tokens": usage.tokens,
            "contextWindow": usage.context_window,
            "percent": percent,
        })
    }))
}

fn model(scope: &Scope) -> Value {
    let model = match scope {
        Scope::Handler(context) | Scope::Guard(context, _) => context.model(),
        Scope::Tool(context) => context.model(),
    };
    model.as_ref().map_or(Value::Null, crate::events::model)
}

/// What the system prompt is made of, as far as scripts can change it.
fn prompt_options(context: &OpContext) -> Value {
    crate::events::prompt_options(&context.bridge)
}

/// Names the run that is under way, whose end by cancellation the script is told under that name.
fn run(context: &OpContext) -> Result<Value, OpError> {
    let session = session(context)?;
    if session.is_idle() {
        return Ok(Value::Null);
    }
    let number = context.bridge.run.load(Ordering::Relaxed);
    let id = format!("run:{number}");
    if context.bridge.watched_run.swap(number, Ordering::Relaxed) != number {
        let (cancel, told) = (session.cancel().clone(), id.clone());
        let running = context.bridge.running.get().cloned();
        let bridge = context.bridge.clone();
        context.bridge.runtime.spawn(async move {
            // A run that ends by itself leaves its token behind; the next run lets go of it.
            let over = async {
                while bridge.run.load(Ordering::Relaxed) == number {
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            };
            tokio::select! {
                () = cancel.cancelled() => {
                    if let Some(running) = running.and_then(|running| running.upgrade()) {
                        running.tell("abort", vec![told]);
                    }
                }
                () = over => {}
            }
        });
    }
    Ok(id.into())
}

fn abort(context: &OpContext, _: &str) -> OpResult {
    session(context)?.abort();
    done()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compact {
    custom_instructions: Option<String>,
}

/// Asks for it; when it is done is not told.
fn compact(context: &OpContext, json: &str) -> OpResult {
    let Compact {
        custom_instructions,
    } = read(json)?;
    session(context)?.compact(custom_instructions.as_deref());
    done()
}
