//! Names of names.

use std::fs;

use serde::Deserialize;
use serde_json::json;

use super::super::{OpContext, OpResult, done, read, say};
use super::{At, FromTo};

pub(super) fn real_path(context: &OpContext, json: &str) -> OpResult {
    let At { path } = read(json)?;
    say(json!({ "path": fs::canonicalize(context.readable(&path)?)? }))
}

pub(super) fn read_link(context: &OpContext, json: &str) -> OpResult {
    let At { path } = read(json)?;
    say(json!({ "target": fs::read_link(context.readable(&path)?)? }))
}

#[derive(Deserialize)]
struct Symlink {
    target: String,
    path: String,
}

pub(super) fn symlink(context: &OpContext, json: &str) -> OpResult {
    let Symlink { target, path } = read(json)?;
    std::os::unix::fs::symlink(target, context.writable(&path)?)?;
    done()
}

pub(super) fn link(context: &OpContext, json: &str) -> OpResult {
    let FromTo { from, to } = read(json)?;
    fs::hard_link(context.readable(&from)?, context.writable(&to)?)?;
    done()
}
