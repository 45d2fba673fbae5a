mod short;
mod shown;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::Timestamp;

use self::shown::Fields;
pub use self::shown::Shown;
use super::error::AuditError;
use super::event::Event;
use super::facts::Decided;
use super::line::{self, MAX_LINE_BYTES};
use super::place::{month_file, months, open_to_read};

/// Which records to show; what is `None` lets all pass.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this call.
    pub call: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// With this decision.
    pub decision: Option<Decided>,
    /// Of this event.
    pub event: Option<Event>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
    /// Of this session.
    pub session: Option<String>,
    /// The last so many of those that pass.
    pub limit: Option<usize>,
}

/// A line that is no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] AuditError),
    /// The line has another shape.
    #[error("{path}:{line_1based}: no audit record; run `deed audit verify`")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line_1based: u64,
    },
}

/// Reads the records of a log, or of one file of it, that pass a filter.
///
/// Shape: one record at a time in little memory; with a limit, that many. Nothing is verified.
///
/// Errors: the folder cannot be read; later ones are items.
pub fn read(
    path: &Path,
    filter: Filter,
) -> Result<Box<dyn Iterator<Item = Result<Shown, ReadError>>>, AuditError> {
    let files = files_of(path, &filter)?;
    let limit = filter.limit;
    let records = files
        .into_iter()
        .flat_map(|path| match open_to_read(&path) {
            Ok(file) => Lines::Open(Reader::new(path, file)),
            Err(error) => Lines::Failed(Some(error)),
        });
    let records = records.filter_map(move |line| match line {
        Ok(shown) => filter.passes(&shown)?.then_some(Ok(shown)),
        Err(error) => Some(Err(error)),
    });
    Ok(match limit {
        None => Box::new(records),
        Some(limit) => Box::new(last_of(records, limit).into_iter()),
    })
}

fn last_of<T>(items: impl Iterator<Item = T>, limit: usize) -> VecDeque<T> {
    let mut last = VecDeque::new();
    for item in items {
        if last.len() == limit {
            last.pop_front();
        }
        if limit > 0 {
            last.push_back(item);
        }
    }
    last
}

/// The files that may hold what is asked for.
fn files_of(path: &Path, filter: &Filter) -> Result<Vec<PathBuf>, AuditError> {
    let meta = path.metadata().map_err(AuditError::io("read", path))?;
    if !meta.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let oldest = filter
        .since
        .map(|since| month_file(&super::clock::text_of(since)));
    let names = months(path)?.into_iter();
    // A clock that was set back leaves later months in an older file, never earlier ones.
    let names = names.filter(|name| oldest.as_ref().is_none_or(|oldest| name >= oldest));
    Ok(names.map(|name| path.join(name)).collect())
}

enum Lines {
    Open(Reader),
    Failed(Option<AuditError>),
}

impl Iterator for Lines {
    type Item = Result<Shown, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Open(reader) => reader.next(),
            Self::Failed(error) => error.take().map(|error| Err(error.into())),
        }
    }
}

struct Reader {
    path: PathBuf,
    lines: BufReader<File>,
    line_1based: u64,
    bytes: Vec<u8>,
    has_failed: bool,
}

impl Reader {
    fn new(path: PathBuf, file: File) -> Self {
        Self {
            path,
            lines: BufReader::new(file),
            line_1based: 0,
            bytes: Vec::new(),
            has_failed: false,
        }
    }

    fn read_line(&mut self) -> std::io::Result<usize> {
        self.bytes.clear();
        let mut line = (&mut self.lines).take(MAX_LINE_BYTES);
        let count = line.read_until(b'\n', &mut self.bytes)?;
        if count as u64 == MAX_LINE_BYTES && !self.bytes.ends_with(b"\n") {
            self.lines.skip_until(b'\n')?;
        }
        Ok(count)
    }
}

impl Iterator for Reader {
    type Item = Result<Shown, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line_1based += 1;
        match self.read_line() {
            _ if self.has_failed => None,
            Ok(0) => None,
            Ok(_) => {
                let parts = line::split(&self.bytes);
                let shown = parts.and_then(|parts| Shown::of(parts.record));
                Some(shown.ok_or_else(|| ReadError::Line {
                    path: self.path.clone(),
                    line_1based: self.line_1based,
                }))
            }
            Err(error) => {
                self.has_failed = true;
                Some(Err(AuditError::io("read", &self.path)(error).into()))
            }
        }
    }
}

impl Filter {
    /// Tells whether a record passes; `None` if it is none.
    fn passes(&self, shown: &Shown) -> Option<bool> {
        let fields = Fields::of(&shown.record)?;
        let is = |wanted: &Option<String>, got: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == got
        };
        let decision = self.decision.map(Decided::name);
        let event = self.event.map(Event::name);
        Some(
            is(&self.call, fields.call_id.as_deref())
                && is(&self.tool, fields.tool.as_deref())
                && is(&self.session, Some(&fields.session))
                && decision.is_none_or(|wanted| fields.decision.as_deref() == Some(wanted))
                && event.is_none_or(|wanted| fields.event == wanted)
                && self.is_in_time(fields.ts),
        )
    }

    fn is_in_time(&self, ts: &str) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Ok(time) = Timestamp::from_str(ts) else {
            return false;
        };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until)
    }
}
