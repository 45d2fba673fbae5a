//! Open files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::json;

use super::super::{OpContext, OpError, OpResult, done, lock, read, say};
use super::{entries, from_base64, open_as, to_base64};

/// Files that a script has open, under numbers that are its own.
#[derive(Default)]
pub(crate) struct Descriptors(Mutex<Open>);

#[derive(Default)]
struct Open {
    files: HashMap<u32, Arc<File>>,
    opened: u32,
}

/// The first number behind those of the three streams.
const FIRST: u32 = 3;
/// A script reads as much as it wants, but not in one piece.
const MAX_READ_BYTES: usize = 16 * 1024 * 1024;

#[derive(Deserialize)]
struct OpenArgs {
    path: String,
    flags: Option<String>,
    mode: Option<u32>,
}

pub(super) fn open(context: &OpContext, json: &str) -> OpResult {
    let args: OpenArgs = read(json)?;
    let flags = args.flags.as_deref().unwrap_or("r");
    let path = match flags {
        "r" | "rs" => context.readable(&args.path)?,
        _ => context.writable(&args.path)?,
    };
    let file = open_as(&path, flags, args.mode)?;
    let mut open = lock(&context.descriptors.0);
    let fd = FIRST + open.opened;
    open.opened += 1;
    open.files.insert(fd, Arc::new(file));
    say(json!({ "fd": fd }))
}

#[derive(Deserialize)]
struct Of {
    fd: u32,
}

fn file(context: &OpContext, fd: u32) -> Result<Arc<File>, OpError> {
    let open = lock(&context.descriptors.0);
    let found = open.files.get(&fd).cloned();
    found.ok_or_else(|| OpError::failed("bad file descriptor").with_code("EBADF"))
}

#[derive(Deserialize)]
struct ReadSome {
    fd: u32,
    length: usize,
    position: Option<u64>,
}

pub(super) fn read_some(context: &OpContext, json: &str) -> OpResult {
    let args: ReadSome = read(json)?;
    let file = file(context, args.fd)?;
    let mut bytes = vec![0; args.length.min(MAX_READ_BYTES)];
    let length = match args.position {
        Some(position) => file.read_at(&mut bytes, position)?,
        None => (&*file).read(&mut bytes)?,
    };
    bytes.truncate(length);
    say(json!({ "base64": to_base64(&bytes) }))
}

#[derive(Deserialize)]
struct WriteSome {
    fd: u32,
    base64: String,
    position: Option<u64>,
}

pub(super) fn write_some(context: &OpContext, json: &str) -> OpResult {
    let args: WriteSome = read(json)?;
    let (file, bytes) = (file(context, args.fd)?, from_base64(&args.base64)?);
    match args.position {
        Some(position) => file.write_all_at(&bytes, position)?,
        None => (&*file).write_all(&bytes)?,
    }
    say(json!({ "written": bytes.len() }))
}

/// Reads from where the file stands to its end.
pub(super) fn read_rest(context: &OpContext, fd: u32) -> Result<Vec<u8>, OpError> {
    let mut bytes = Vec::new();
    (&*file(context, fd)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes where the file stands.
pub(super) fn write_all(context: &OpContext, fd: u32, bytes: &[u8]) -> Result<(), OpError> {
    Ok((&*file(context, fd)?).write_all(bytes)?)
}

pub(super) fn set_length(context: &OpContext, fd: u32, length: u64) -> Result<(), OpError> {
    Ok(file(context, fd)?.set_len(length)?)
}

pub(super) fn sync(context: &OpContext, json: &str) -> OpResult {
    let Of { fd } = read(json)?;
    file(context, fd)?.sync_all()?;
    done()
}

pub(super) fn stat(context: &OpContext, json: &str) -> OpResult {
    let Of { fd } = read(json)?;
    say(entries::described(&file(context, fd)?.metadata()?))
}

pub(super) fn close(context: &OpContext, json: &str) -> OpResult {
    let Of { fd } = read(json)?;
    file(context, fd)?;
    lock(&context.descriptors.0).files.remove(&fd);
    done()
}
