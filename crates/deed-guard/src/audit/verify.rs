mod chain;
mod own;
mod report;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deed_schema::Sha256Hash;

use self::chain::{At, Chain};
pub use self::report::{RecordRef, Report};
use super::error::AuditError;
use super::finding::{Finding, FindingKind};
use super::head::{HEAD_FILE, HeadState, NO_FILE};
use super::line::MAX_LINE_BYTES;
use super::place::{months, open_to_read};
use crate::lock::Locked;

const BUFFER_BYTES: usize = 256 * 1024;
const MAX_WAIT: Duration = Duration::from_secs(1);

/// What [`verify`] compares the log with.
#[derive(Clone, Debug)]
pub struct VerifyOptions {
    /// Whether the log must end where `audit.head` in its folder says.
    pub head: bool,
    /// A record that the log must hold, as somebody else kept it.
    pub expected_head: Option<Anchor>,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            head: true,
            expected_head: None,
        }
    }
}

/// A record by its number and its hash, kept outside the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the record.
    pub seq: u64,
    /// Its hash.
    pub sha256: Sha256Hash,
}

/// Checks a log, or one file of it.
///
/// Shape: reads each file once, in little memory; what writers append meanwhile is not looked at. A
/// file alone is checked from where it begins, and against the head only if the head names it.
///
/// Errors: something cannot be read; what is wrong with the log is in the report.
pub fn verify(path: &Path, options: &VerifyOptions) -> Result<Report, AuditError> {
    let snapshot = Snapshot::take(path)?;
    let mut chain = Chain::new(options.expected_head, snapshot.is_one_file);
    if let (true, HeadState::Read(head)) = (options.head, &snapshot.head) {
        chain.expect(head.seq, head.hash.to_hash());
    }
    for (name, bytes) in &snapshot.files {
        let path = snapshot.folder.join(name);
        read_file(&path, name, *bytes, &mut chain)?;
    }
    if options.head {
        compare_with_head(&snapshot, &mut chain);
    }
    Ok(chain.into_report(snapshot.files.len()))
}

fn compare_with_head(snapshot: &Snapshot, chain: &mut Chain) {
    let (seq, hash) = chain.end();
    let named = match &snapshot.head {
        HeadState::Read(head) => head.file.as_str(),
        _ => NO_FILE,
    };
    let is_there = snapshot.files.iter().any(|(name, _)| name == named);
    if snapshot.is_one_file && !is_there {
        return;
    }
    if !is_there && named != NO_FILE {
        let message = format!("the head names {named}, which is not there");
        chain.report(Finding::new(FindingKind::FileMissing, named, message));
    }
    // A record of the head's number with another hash was found where it stands.
    let finding = snapshot.head.compare(seq, hash);
    if let Some(finding) = finding.filter(|it| it.kind != FindingKind::HeadMismatch) {
        chain.report(finding);
    }
}

/// What there is to check: names and sizes at one moment between two appends.
struct Snapshot {
    folder: PathBuf,
    files: Vec<(String, u64)>,
    head: HeadState,
    is_one_file: bool,
}

impl Snapshot {
    fn take(path: &Path) -> Result<Self, AuditError> {
        let meta = path.metadata().map_err(AuditError::io("read", path))?;
        let is_one_file = !meta.is_dir();
        let folder = match is_one_file {
            false => path,
            true => path.parent().unwrap_or(Path::new("")),
        };
        let head_path = folder.join(HEAD_FILE);
        let head = File::open(&head_path).ok().map(Arc::new);
        // Without the lock a writer may be seen at work, which the head's mark tells.
        let _locked = match &head {
            Some(head) => Locked::shared(head, MAX_WAIT).ok().flatten(),
            None => None,
        };
        let names = match is_one_file {
            false => months(path)?,
            true => path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .into_iter()
                .collect(),
        };
        let size = |name: String| {
            let path = folder.join(&name);
            let meta = path.metadata().map_err(AuditError::io("read", &path))?;
            Ok((name, meta.len()))
        };
        Ok(Self {
            files: names
                .into_iter()
                .map(size)
                .collect::<Result<_, AuditError>>()?,
            head: match &head {
                None if head_path.exists() => HeadState::Unreadable,
                None => HeadState::Missing,
                Some(head) => HeadState::read(head).map_err(AuditError::io("read", &head_path))?,
            },
            folder: folder.to_owned(),
            is_one_file,
        })
    }
}

fn read_file(path: &Path, name: &str, bytes: u64, chain: &mut Chain) -> Result<(), AuditError> {
    let fail = || AuditError::io("read", path);
    let file = open_to_read(path)?.take(bytes);
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut line = Vec::new();
    chain.start_file();
    for line_1based in 1.. {
        line.clear();
        let read = (&mut reader)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line);
        if read.map_err(fail())? == 0 {
            break;
        }
        let is_cut = line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n");
        let is_whole = line.ends_with(b"\n") || is_cut && skip_line(&mut reader).map_err(fail())?;
        let at = At { name, line_1based };
        match is_whole {
            true => chain.line(at, &line),
            false => chain.torn(at),
        }
    }
    Ok(())
}

/// Returns whether the line that is skipped ends.
fn skip_line(reader: &mut impl BufRead) -> std::io::Result<bool> {
    Ok(reader.skip_until(b'\n')? > 0)
}
