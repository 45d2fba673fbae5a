//! What scripts draw: what they register for it, and when they are at it.

use std::sync::Arc;

use deed_extensions::Draws;
use serde::Deserialize;

use super::register::running;
use super::{LogLevel, Op, OpContext, OpError, OpResult, Row, done, read};
use crate::renderer::{ScriptRenderer, key_of};

pub(super) const ROWS: &[Row] = &[
    ("register.renderer", Op::Now(renderer)),
    ("render.begin", Op::Now(begin)),
    ("render.end", Op::Now(end)),
];

#[derive(Deserialize)]
struct RendererArgs {
    kind: String,
    #[serde(rename = "type")]
    name: Option<String>,
}

fn renderer(context: &OpContext, json: &str) -> OpResult {
    let RendererArgs { kind, name } = read(json)?;
    let name = name.unwrap_or_default();
    match kind.as_str() {
        "message" => register(context, Draws::Messages(name)),
        "entry" => register(context, Draws::Entries(name)),
        "tool" => register(context, Draws::AllTools),
        _ => {
            let text = format!("taken, but not shown by this host: a renderer of {kind}");
            context.log(LogLevel::Debug, &text);
            done()
        }
    }
}

/// Lets the script draw something.
pub(super) fn register(context: &OpContext, draws: Draws) -> OpResult {
    let renderer = Arc::new(ScriptRenderer(running(context)?));
    let registered = context.api()?.register_renderer(draws, renderer);
    registered.map_err(OpError::failed)?;
    done()
}

#[derive(Deserialize)]
struct Begin {
    kind: String,
    name: String,
}

fn begin(context: &OpContext, json: &str) -> OpResult {
    let Begin { kind, name } = read(json)?;
    context.bridge.drawings.begin(key_of(&kind, &name));
    done()
}

fn end(context: &OpContext, _: &str) -> OpResult {
    context.bridge.drawings.end();
    done()
}
