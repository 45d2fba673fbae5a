//! Copies that never take the place of anything.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

/// Makes a file that only its owner may read, with the folders above it.
///
/// Errors: also if there is one.
pub(super) fn new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    whole(path, |file| file.write_all(content))
}

/// Copies a file so that only its owner may read it; it stays as old as it is.
pub(super) fn private_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let modified = source.metadata()?.modified()?;
    whole(to, |file| {
        io::copy(&mut source, file)?;
        file.set_modified(modified)
    })
}

/// Copies a file, a link, or a folder with all that is in it.
pub(super) fn anything(from: &Path, to: &Path) -> io::Result<()> {
    make_parent(to)?;
    // A copy that is stopped half way is not taken for a whole one.
    let draft = draft_of(to);
    let copied = tree(from, &draft).and_then(|()| settle(&draft, to));
    if copied.is_err() {
        remove(&draft);
    }
    copied
}

fn whole(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    make_parent(path)?;
    let draft = draft_of(path);
    let mut options = OpenOptions::new();
    let opened = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft);
    let filled = opened.and_then(|mut file| fill(&mut file));
    let settled = filled.and_then(|()| link_or_rename(&draft, path));
    remove(&draft);
    settled
}

/// Gives a file its name; a link fails where one is, which a rename would replace.
fn link_or_rename(draft: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(draft, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) => settle(draft, to),
        Ok(()) => Ok(()),
    }
}

fn make_parent(path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    DirBuilder::new().recursive(true).mode(0o700).create(parent)
}

fn draft_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.import-{}", std::process::id()))
}

/// Removes what may be there; if that fails, the name says what it is.
fn remove(draft: &Path) {
    let is_folder = draft.symlink_metadata().is_ok_and(|it| it.is_dir());
    match is_folder {
        true => fs::remove_dir_all(draft).ok(),
        false => fs::remove_file(draft).ok(),
    };
}

fn settle(draft: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(draft, to)
}

fn tree(from: &Path, to: &Path) -> io::Result<()> {
    let kind = from.symlink_metadata()?;
    if kind.is_symlink() {
        return symlink(from.canonicalize()?, to);
    }
    if kind.is_file() {
        return fs::copy(from, to).map(drop);
    }
    if !kind.is_dir() {
        let text = format!("{} is neither a file nor a folder", from.display());
        return Err(io::Error::other(text));
    }
    fs::create_dir(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        tree(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
