//! Other sessions, other places of this one, and the end of the program.

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{ForkPosition, Replacement};
use serde::Deserialize;
use serde_json::json;

use super::{Op, OpContext, OpError, OpResult, Row, done, read, say};

pub(super) const ROWS: &[Row] = &[
    ("session.new", Op::Later(new)),
    ("session.fork", Op::Later(fork)),
    ("session.switch", Op::Later(switch)),
    ("session.navigate", Op::Later(navigate)),
    ("ctx.reload", Op::Later(reload)),
    ("ctx.shutdown", Op::Now(shutdown)),
    ("ctx.waitForIdle", Op::Later(wait_for_idle)),
];

async fn replaced(context: &OpContext, by: Replacement) -> OpResult {
    let replacing = context.api()?.replace_session(by).await;
    let agreed = replacing.map_err(OpError::failed)?;
    say(json!({ "cancelled": !agreed }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct New {
    parent_session: Option<PathBuf>,
}

fn new(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let New { parent_session } = read(&json)?;
        let parent = parent_session;
        replaced(&context, Replacement::New { parent }).await
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fork {
    entry_id: String,
    position: Option<String>,
}

fn fork(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Fork { entry_id, position } = read(&json)?;
        let position = match position.as_deref() {
            Some("at") => ForkPosition::At,
            Some("before") | None => ForkPosition::Before,
            Some(other) => {
                let text = format!("position is `{other}`; it is before or at");
                return Err(OpError::failed(text));
            }
        };
        replaced(&context, Replacement::Fork { entry_id, position }).await
    })
}

#[derive(Deserialize)]
struct Switch {
    path: PathBuf,
}

fn switch(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Switch { path } = read(&json)?;
        replaced(&context, Replacement::File(path)).await
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigate {
    target_id: String,
    #[serde(default)]
    summarize: bool,
    label: Option<String>,
}

fn navigate(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let asked: Navigate = read(&json)?;
        if asked.summarize {
            return Err(OpError::unsupported("summarize of ctx.navigateTree"));
        }
        let api = context.api()?;
        let navigated = api.navigate(&asked.target_id).await;
        let navigated = navigated.map_err(OpError::failed)?;
        if let Some(label) = &asked.label {
            let marked = api.set_label(&asked.target_id, Some(label));
            marked.map_err(OpError::failed)?;
        }
        say(json!({ "cancelled": false, "editorText": navigated.editor_text }))
    })
}

fn reload(context: Arc<OpContext>, _: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move { replaced(&context, Replacement::Reload).await })
}

fn shutdown(context: &OpContext, _: &str) -> OpResult {
    // What is waited for is waited for where the session runs.
    let _runs = context.bridge.runtime.enter();
    context.api()?.shutdown().map_err(OpError::failed)?;
    done()
}

fn wait_for_idle(context: Arc<OpContext>, _: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let waited = context.api()?.wait_for_idle().await;
        waited.map_err(OpError::failed)?;
        done()
    })
}
