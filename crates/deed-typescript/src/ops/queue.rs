//! Turns of the queue that keeps writes of one file in order, shared with the session's own tools.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_env::file::MutationTurn;
use serde::Deserialize;
use serde_json::Value;

use super::{Op, OpContext, OpError, OpResult, Row, done, lock, read};

pub(super) const ROWS: &[Row] = &[
    ("queue.enter", Op::Later(enter)),
    ("queue.leave", Op::Now(leave)),
];

const FAMILY: &str = "queue";

/// Turns that a script has, by its ids; they end with its engine.
#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<String, MutationTurn>>);

impl Turns {
    /// Ends all.
    pub(crate) fn end(&self) {
        lock(&self.0).clear();
    }
}

#[derive(Deserialize)]
struct Enter {
    id: Value,
    path: String,
}

/// Waits for a turn. It looks at where the path leads and at nothing else, so nothing is asked.
fn enter(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Enter { id, path } = read(&json)?;
        let id = id.to_string();
        let env = context.api()?.environment().map_err(OpError::failed)?;
        let ticket = env.mutations().ticket();
        let cancellable = context.cancellable(FAMILY, &id);
        let path = context.path(&path);
        let turn = ticket.place(env.as_ref(), &path, &cancellable.token).await;
        lock(&context.turns.0).insert(id, turn.map_err(OpError::failed)?);
        done()
    })
}

#[derive(Deserialize)]
struct Leave {
    id: Value,
}

fn leave(context: &OpContext, json: &str) -> OpResult {
    let Leave { id } = read(json)?;
    let id = id.to_string();
    context.cancel(FAMILY, &id);
    lock(&context.turns.0).remove(&id);
    done()
}
