//! The end of a file that a crash left within a line.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::SessionFile;
use crate::diagnostic::Finding;
use crate::load::FileTail;

/// Brings the end of a file in order before anything is appended, and tells what was done.
///
/// An entry that only lacks the end of its line gets it. What is no entry is moved to a file beside
/// it; if that cannot be written it stays, as a line that is skipped.
pub(crate) fn repair_tail(session: &mut SessionFile, tail: FileTail) -> Option<(u64, Finding)> {
    match tail {
        FileTail::Whole => None,
        FileTail::Unfinished { line_1based } => {
            // Without room for one byte the end comes with the next entry.
            session.lacks_line_end = session.write(b"\n").is_err();
            Some((line_1based, Finding::Unfinished))
        }
        FileTail::Torn {
            at,
            bytes,
            line_1based,
        } => {
            let kept = move_away(session, at, bytes).ok();
            if kept.is_none() {
                session.lacks_line_end = session.write(b"\n").is_err();
            }
            Some((line_1based, Finding::TornTail { bytes, kept }))
        }
    }
}

fn move_away(session: &SessionFile, at: u64, bytes: u64) -> io::Result<PathBuf> {
    let beside = beside(&session.path);
    let mut options = File::options();
    options.append(true).create(true).mode(0o600);
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut kept = options
        .custom_flags(flags.bits().cast_signed())
        .open(&beside)?;
    let mut copied = 0;
    let mut buffer = vec![0; 64 * 1024];
    while copied < bytes {
        let read = session.file.read_at(&mut buffer, at + copied)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        kept.write_all(buffer.get(..read).unwrap_or_default())?;
        copied += read as u64;
    }
    kept.write_all(b"\n")?;
    session.file.set_len(at)?;
    Ok(beside)
}

/// The name of the file for what was cut off; no program takes it for a session.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".torn");
    name.into()
}
