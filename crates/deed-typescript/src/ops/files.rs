//! Files and folders.

mod descriptors;
mod entries;
mod links;
mod watch;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use super::{Op, OpContext, OpError, OpResult, Row, done, read, say};

pub(super) use descriptors::Descriptors;
pub(super) use watch::Watches;

pub(super) const ROWS: &[Row] = &[
    ("fs.readFile", Op::Blocking(read_file)),
    ("fs.writeFile", Op::Blocking(write_file)),
    ("fs.mkdir", Op::Blocking(make_folder)),
    ("fs.rm", Op::Blocking(remove)),
    ("fs.unlink", Op::Blocking(unlink)),
    ("fs.rmdir", Op::Blocking(remove_folder)),
    ("fs.rename", Op::Blocking(rename)),
    ("fs.copyFile", Op::Blocking(copy_file)),
    ("fs.cp", Op::Blocking(copy_tree)),
    ("fs.mkdtemp", Op::Blocking(make_temp)),
    ("fs.chmod", Op::Blocking(change_mode)),
    ("fs.utimes", Op::Blocking(change_times)),
    ("fs.truncate", Op::Blocking(truncate)),
    ("fs.stat", Op::Blocking(entries::stat)),
    ("fs.readdir", Op::Blocking(entries::read_folder)),
    ("fs.access", Op::Blocking(entries::access)),
    ("fs.realpath", Op::Blocking(links::real_path)),
    ("fs.readlink", Op::Blocking(links::read_link)),
    ("fs.symlink", Op::Blocking(links::symlink)),
    ("fs.link", Op::Blocking(links::link)),
    ("fs.open", Op::Blocking(descriptors::open)),
    ("fs.read", Op::Blocking(descriptors::read_some)),
    ("fs.write", Op::Blocking(descriptors::write_some)),
    ("fs.fstat", Op::Blocking(descriptors::stat)),
    ("fs.fsync", Op::Blocking(descriptors::sync)),
    ("fs.close", Op::Blocking(descriptors::close)),
    ("fs.watch", Op::Now(watch::start)),
    ("fs.watchNext", Op::Later(watch::next)),
    ("fs.unwatch", Op::Now(watch::stop)),
];

#[derive(Deserialize)]
struct At {
    path: String,
}

#[derive(Deserialize)]
struct FromTo {
    from: String,
    to: String,
}

/// Reads what a script gives as bytes.
pub(super) fn from_base64(text: &str) -> Result<Vec<u8>, OpError> {
    STANDARD
        .decode(text)
        .map_err(|error| OpError::failed(format!("bad base64: {error}")))
}

/// Writes bytes for a script.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[derive(Deserialize)]
struct ReadFile {
    path: Option<String>,
    fd: Option<u32>,
    encoding: Option<String>,
}

fn read_file(context: &OpContext, json: &str) -> OpResult {
    let args: ReadFile = read(json)?;
    let bytes = match args.fd {
        Some(fd) => descriptors::read_rest(context, fd)?,
        None => fs::read(context.readable(&args.path.unwrap_or_default())?)?,
    };
    let data = match args.encoding.as_deref() {
        Some("utf8") => String::from_utf8_lossy(&bytes).into_owned(),
        _ => to_base64(&bytes),
    };
    say(json!({ "data": data }))
}

#[derive(Deserialize)]
struct WriteFile {
    path: Option<String>,
    fd: Option<u32>,
    data: String,
    encoding: Option<String>,
    flag: Option<String>,
    mode: Option<u32>,
}

/// Opens a file as node's flags say.
fn open_as(path: &Path, flag: &str, mode: Option<u32>) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    if let Some(mode) = mode {
        options.mode(mode);
    }
    let (base, exclusive) = (flag.replace(['x', 's'], ""), flag.contains('x'));
    match base.as_str() {
        "r" => options.read(true),
        "r+" => options.read(true).write(true),
        "w" => options.write(true).create(true).truncate(true),
        "w+" => options.read(true).write(true).create(true).truncate(true),
        "a" => options.append(true).create(true),
        "a+" => options.read(true).append(true).create(true),
        _ => return Err(io::Error::from_raw_os_error(22)),
    };
    if exclusive {
        options.create_new(true);
    }
    options.open(path)
}

fn write_file(context: &OpContext, json: &str) -> OpResult {
    let args: WriteFile = read(json)?;
    let bytes = match args.encoding.as_deref() {
        Some("base64") => from_base64(&args.data)?,
        _ => args.data.into_bytes(),
    };
    if let Some(fd) = args.fd {
        descriptors::write_all(context, fd, &bytes)?;
        return done();
    }
    let path = context.writable(&args.path.unwrap_or_default())?;
    let mut file = open_as(&path, args.flag.as_deref().unwrap_or("w"), args.mode)?;
    file.write_all(&bytes)?;
    done()
}

#[derive(Deserialize)]
struct MakeFolder {
    path: String,
    #[serde(default)]
    recursive: bool,
    mode: Option<u32>,
}

fn make_folder(context: &OpContext, json: &str) -> OpResult {
    let args: MakeFolder = read(json)?;
    let path = context.writable(&args.path)?;
    // The topmost folder that is not there yet is what the script is told.
    let missing = path
        .ancestors()
        .take_while(|folder| !folder.exists())
        .last();
    let first = missing.map(Path::to_owned);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(args.recursive);
    if let Some(mode) = args.mode {
        builder.mode(mode);
    }
    builder.create(&path)?;
    say(json!({ "first": first.filter(|_| args.recursive) }))
}

#[derive(Deserialize)]
struct Remove {
    path: String,
    #[serde(default)]
    recursive: bool,
    #[serde(default)]
    force: bool,
}

fn remove(context: &OpContext, json: &str) -> OpResult {
    let args: Remove = read(json)?;
    let path = context.writable(&args.path)?;
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() && args.recursive => fs::remove_dir_all(&path),
        Ok(found) if found.is_dir() => {
            return Err(
                OpError::failed(format!("{} is a folder", path.display())).with_code("EISDIR")
            );
        }
        Ok(_) => fs::remove_file(&path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if args.force && error.kind() == io::ErrorKind::NotFound => done(),
        removed => {
            removed?;
            done()
        }
    }
}

fn unlink(context: &OpContext, json: &str) -> OpResult {
    let At { path } = read(json)?;
    fs::remove_file(context.writable(&path)?)?;
    done()
}

fn remove_folder(context: &OpContext, json: &str) -> OpResult {
    let At { path } = read(json)?;
    fs::remove_dir(context.writable(&path)?)?;
    done()
}

fn rename(context: &OpContext, json: &str) -> OpResult {
    let FromTo { from, to } = read(json)?;
    fs::rename(context.writable(&from)?, context.writable(&to)?)?;
    done()
}

#[derive(Deserialize)]
struct CopyFile {
    from: String,
    to: String,
    #[serde(default)]
    exclusive: bool,
}

fn copy_file(context: &OpContext, json: &str) -> OpResult {
    let args: CopyFile = read(json)?;
    let (from, to) = (context.readable(&args.from)?, context.writable(&args.to)?);
    if args.exclusive {
        let mut source = fs::File::open(&from)?;
        let mut target = open_as(&to, "wx", None)?;
        io::copy(&mut source, &mut target)?;
    } else {
        fs::copy(from, to)?;
    }
    done()
}

#[derive(Deserialize)]
struct CopyTree {
    from: String,
    to: String,
    #[serde(default)]
    recursive: bool,
}

fn copy_tree(context: &OpContext, json: &str) -> OpResult {
    let args: CopyTree = read(json)?;
    let (from, to) = (context.readable(&args.from)?, context.writable(&args.to)?);
    if from.is_dir() && !args.recursive {
        let text = format!(
            "{} is a folder; copy it with recursive: true",
            from.display()
        );
        return Err(OpError::failed(text).with_code("EISDIR"));
    }
    if to.starts_with(&from) && to != from {
        return Err(OpError::failed("a folder cannot be copied into itself").with_code("EINVAL"));
    }
    copy_all(&from, &to)?;
    done()
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.symlink_metadata()?.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct MakeTemp {
    prefix: String,
}

fn make_temp(context: &OpContext, json: &str) -> OpResult {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let MakeTemp { prefix } = read(json)?;
    loop {
        let random = super::crypto::random(6)?;
        let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied();
        let suffix: String = random.iter().filter_map(letter).map(char::from).collect();
        let path = context.writable(&format!("{prefix}{suffix}"))?;
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made?;
                return say(json!({ "path": path }));
            }
        }
    }
}

#[derive(Deserialize)]
struct ChangeMode {
    path: String,
    mode: u32,
}

fn change_mode(context: &OpContext, json: &str) -> OpResult {
    let args: ChangeMode = read(json)?;
    let mode = fs::Permissions::from_mode(args.mode);
    fs::set_permissions(context.writable(&args.path)?, mode)?;
    done()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeTimes {
    path: String,
    atime_ms: f64,
    mtime_ms: f64,
}

fn change_times(context: &OpContext, json: &str) -> OpResult {
    let args: ChangeTimes = read(json)?;
    let time = |ms: f64| {
        let after = Duration::try_from_secs_f64(ms / 1000.0);
        after
            .map(|after| SystemTime::UNIX_EPOCH + after)
            .map_err(OpError::failed)
    };
    let times = fs::FileTimes::new()
        .set_accessed(time(args.atime_ms)?)
        .set_modified(time(args.mtime_ms)?);
    fs::File::open(context.writable(&args.path)?)?.set_times(times)?;
    done()
}

#[derive(Deserialize)]
struct Truncate {
    path: Option<String>,
    fd: Option<u32>,
    #[serde(default)]
    length: u64,
}

fn truncate(context: &OpContext, json: &str) -> OpResult {
    let args: Truncate = read(json)?;
    if let Some(fd) = args.fd {
        descriptors::set_length(context, fd, args.length)?;
        return done();
    }
    let path = context.writable(&args.path.unwrap_or_default())?;
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(args.length)?;
    done()
}
