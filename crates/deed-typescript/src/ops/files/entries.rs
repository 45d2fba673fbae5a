//! What is there, and of what kind.

use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{OpContext, OpError, OpResult, done, read, say};

#[derive(Deserialize)]
struct Stat {
    path: String,
    #[serde(default = "yes")]
    follow: bool,
}

fn yes() -> bool {
    true
}

pub(super) fn stat(context: &OpContext, json: &str) -> OpResult {
    let args: Stat = read(json)?;
    let path = context.readable(&args.path)?;
    let found = match args.follow {
        true => fs::metadata(path)?,
        false => fs::symlink_metadata(path)?,
    };
    say(described(&found))
}

fn kind(of: FileType) -> &'static str {
    let kinds = [
        (of.is_dir(), "dir"),
        (of.is_symlink(), "symlink"),
        (of.is_fifo(), "fifo"),
        (of.is_socket(), "socket"),
        (of.is_char_device(), "char"),
        (of.is_block_device(), "block"),
    ];
    let found = kinds.into_iter().find(|(is_it, _)| *is_it);
    found.map_or("file", |(_, kind)| kind)
}

pub(super) fn described(found: &Metadata) -> Value {
    // Milliseconds with a fraction, as node has them.
    let ms = |seconds: i64, nanoseconds: i64| seconds as f64 * 1e3 + nanoseconds as f64 / 1e6;
    let changed = ms(found.ctime(), found.ctime_nsec());
    let born = found.created().ok();
    let born = born.and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
    json!({
        "kind": kind(found.file_type()),
        "size": found.size(),
        "mode": found.mode(),
        "mtimeMs": ms(found.mtime(), found.mtime_nsec()),
        "atimeMs": ms(found.atime(), found.atime_nsec()),
        "ctimeMs": changed,
        "birthtimeMs": born.map_or(changed, |born| born.as_secs_f64() * 1e3),
        "dev": found.dev(),
        "ino": found.ino(),
        "nlink": found.nlink(),
        "uid": found.uid(),
        "gid": found.gid(),
        "blksize": found.blksize(),
        "blocks": found.blocks(),
    })
}

#[derive(Deserialize)]
struct ReadFolder {
    path: String,
    #[serde(default)]
    recursive: bool,
}

pub(super) fn read_folder(context: &OpContext, json: &str) -> OpResult {
    let args: ReadFolder = read(json)?;
    let mut entries = Vec::new();
    // Each folder where it is, and as the script calls it.
    let mut open = vec![(context.readable(&args.path)?, PathBuf::from(&args.path))];
    while let Some((folder, shown)) = open.pop() {
        let mut found = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let of = entry.file_type()?;
            if args.recursive && of.is_dir() {
                open.push((entry.path(), shown.join(entry.file_name())));
            }
            found.push((entry.file_name().to_string_lossy().into_owned(), kind(of)));
        }
        found.sort();
        let described = found
            .into_iter()
            .map(|(name, kind)| json!({ "name": name, "kind": kind, "parent": shown }));
        entries.extend(described);
    }
    say(json!({ "entries": entries }))
}

#[derive(Deserialize)]
struct MayI {
    path: String,
    #[serde(default)]
    mode: u32,
}

const MAY_WRITE: u32 = 2;
const MAY_RUN: u32 = 1;

pub(super) fn access(context: &OpContext, json: &str) -> OpResult {
    let args: MayI = read(json)?;
    let path = context.readable(&args.path)?;
    let found = fs::metadata(&path)?;
    let refused = (args.mode & MAY_WRITE != 0 && !may_write(&path, &found))
        || (args.mode & MAY_RUN != 0 && found.mode() & 0o111 == 0);
    if refused {
        return Err(OpError::failed("permission denied").with_code("EACCES"));
    }
    done()
}

fn may_write(path: &Path, found: &Metadata) -> bool {
    if found.is_dir() {
        return !found.permissions().readonly();
    }
    fs::OpenOptions::new().append(true).open(path).is_ok()
}
