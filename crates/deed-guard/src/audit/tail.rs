//! The end of the log as it stands on disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::error::AuditError;
use super::finding::{Finding, FindingKind};
use super::head::{HeadState, NO_FILE};
use super::line::{self, HexHash, MAX_LINE_BYTES, Seen};
use super::place::Folder;

/// The last record, and where its file ends.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub(super) file: String,
    /// The newest file that anything names; no older one is appended to.
    pub(super) newest: String,
    /// The size of the file up to the end of its last whole line.
    pub(super) end_bytes: u64,
    pub(super) seq: u64,
    pub(super) hash: HexHash,
}

impl Tail {
    pub(super) fn nothing() -> Self {
        Self {
            file: NO_FILE.to_owned(),
            newest: NO_FILE.to_owned(),
            end_bytes: 0,
            seq: 0,
            hash: HexHash::ZEROS,
        }
    }
}

/// Bytes after the last line end.
#[derive(Clone, Debug)]
pub(super) struct Torn {
    pub(super) file: String,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

/// What was found at the end of the log.
pub(super) struct Inspection {
    pub(super) tail: Tail,
    pub(super) torn: Option<Torn>,
    pub(super) findings: Vec<Finding>,
}

/// Looks at the end of the log; the caller holds the lock.
pub(super) fn inspect(folder: &Folder, head: &HeadState) -> Result<Inspection, AuditError> {
    let months = folder.months()?;
    let mut found = Inspection {
        tail: Tail::nothing(),
        torn: None,
        findings: Vec::new(),
    };
    for name in months.iter().rev() {
        if look_at_end(folder, name, &mut found)? {
            break;
        }
    }
    let tail = &mut found.tail;
    found.findings.extend(head.compare(tail.seq, tail.hash));
    let named = match head {
        HeadState::Read(head) => Some(&head.file),
        _ => None,
    };
    tail.newest = months
        .into_iter()
        .chain(named.cloned())
        .max()
        .unwrap_or_default();
    Ok(found)
}

/// Returns whether the file holds a record.
fn look_at_end(folder: &Folder, name: &str, found: &mut Inspection) -> Result<bool, AuditError> {
    let path = folder.join(name);
    let fail = || AuditError::io("read", &path);
    let file = folder.open_to_read(name)?;
    let length = file.metadata().map_err(fail())?.len();
    let whole = line_start(&file, length).map_err(fail())?;
    if whole < length && found.torn.is_none() {
        let bytes = length - whole;
        let message = format!("the last {bytes} bytes are no whole line: a writer was stopped");
        found
            .findings
            .push(Finding::new(FindingKind::TornTail, name, message));
        found.torn = Some(Torn {
            file: name.to_owned(),
            at: whole,
            bytes,
        });
    }
    if whole == 0 {
        return Ok(false);
    }
    found.tail = last_record(&file, name, whole, &mut found.findings).map_err(fail())?;
    Ok(true)
}

/// Walks back to a readable record; the lines behind it count as one record each.
fn last_record(
    file: &File,
    name: &str,
    whole: u64,
    findings: &mut Vec<Finding>,
) -> io::Result<Tail> {
    let mut tail = Tail {
        file: name.to_owned(),
        newest: name.to_owned(),
        end_bytes: whole,
        seq: 0,
        hash: HexHash::ZEROS,
    };
    let (mut end, mut unreadable) = (whole, 0);
    while end > 0 {
        let start = line_start(file, end - 1)?;
        let bytes = read_between(file, start, end)?;
        let parts = line::split(&bytes);
        let computed = HexHash::of(parts.as_ref().map_or(&bytes, |parts| parts.record));
        if end == whole {
            tail.hash = computed;
        }
        let seen = parts.as_ref().and_then(|parts| Seen::read(parts.record));
        let is_stated = parts.is_some_and(|parts| parts.stated == computed);
        if let (Some(seen), true) = (seen, is_stated) {
            tail.seq = seen.seq + unreadable;
            break;
        }
        unreadable += 1;
        end = start;
    }
    if unreadable > 0 {
        tail.seq = tail.seq.max(unreadable);
        let message = format!("the last {unreadable} lines are not as they were written");
        findings.push(Finding::new(FindingKind::Edited, name, message));
    }
    Ok(tail)
}

/// Where the line begins that the byte before `end` belongs to.
fn line_start(file: &File, end: u64) -> io::Result<u64> {
    let mut end = end;
    while end > 0 {
        let start = end.saturating_sub(MAX_LINE_BYTES);
        let bytes = read_between(file, start, end)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Reads a part of the file, of which no more than a line is wanted.
fn read_between(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let length = (end - start).min(MAX_LINE_BYTES);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}
