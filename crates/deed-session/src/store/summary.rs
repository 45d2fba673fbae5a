//! Looking over many sessions: their lines are counted, few are taken apart.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use deed_protocol::Message;
use memchr::memmem;
use serde::Deserialize;

use super::{Listing, SessionSummary};
use crate::clock::ms_of;
use crate::diagnostic::{Diagnostic, Finding};
use crate::entry_text::with_whole_pairs;
use crate::index::{Kind, Role};
use crate::load::{Head, HeaderFault, HeaderLine, Lines};
use crate::place::{LineReader, Place, text_of};
use crate::tree::plain_text;

const MAX_FIRST_TEXT_CHARS: usize = 1000;

pub(super) fn list(files: &[PathBuf]) -> Listing {
    let mut listing = Listing::default();
    for path in files {
        match summarise(path) {
            Ok(summary) => listing.sessions.push(summary),
            Err(reason) => listing.diagnostics.push(Diagnostic {
                path: Some(path.clone()),
                line_1based: None,
                what: Finding::NoSession { reason },
            }),
        }
    }
    let key = |it: &SessionSummary| std::cmp::Reverse((it.modified_ms, it.path.clone()));
    listing.sessions.sort_by_cached_key(key);
    listing
}

fn summarise(path: &Path) -> Result<SessionSummary, String> {
    let text = |error: io::Error| error.to_string();
    let file = File::open(path).map_err(text)?;
    let meta = file.metadata().map_err(text)?;
    let mut survey = Survey::default();
    let mut lines = Lines::new(&file);
    let mut header = None;
    while let Some(line) = lines.next().map_err(text)? {
        if header.is_some() {
            survey.take(line.bytes, line.at);
            continue;
        }
        match HeaderLine::read(line.bytes) {
            Ok(found) => header = Some(found),
            Err(HeaderFault::NoJson(_)) => {}
            Err(HeaderFault::NoHeader(reason)) => return Err(reason),
        }
    }
    let header = header.ok_or("it has no header")?;
    let created_ms = ms_of(header.text("timestamp"));
    let modified_ms = survey.last_word_ms(&file).or(created_ms);
    let header = header.into_header().shown;
    Ok(SessionSummary {
        path: path.to_owned(),
        id: header.id,
        cwd: header.cwd,
        name: survey.name,
        parent: header.parent_session,
        created_ms: created_ms.unwrap_or_else(|| changed_ms(&meta)),
        modified_ms: modified_ms.unwrap_or_else(|| changed_ms(&meta)),
        message_count: survey.message_count,
        first_text: survey.first_text.unwrap_or_default(),
    })
}

fn changed_ms(meta: &Metadata) -> i64 {
    meta.mtime() * 1000 + meta.mtime_nsec() / 1_000_000
}

/// What was seen of the entries of a file.
#[derive(Default)]
struct Survey {
    message_count: u64,
    first_text: Option<String>,
    name: Option<String>,
    /// Where the last message of a person or model is.
    last_word: Option<Place>,
}

impl Survey {
    fn take(&mut self, line: &[u8], at: u64) {
        match kind_of(line) {
            Some(Kind::Message(role)) => self.take_message(line, at, role),
            Some(Kind::SessionInfo) => {
                if let Ok(Named { name }) = serde_json::from_str(&text_of(line)) {
                    let name = name.as_deref().map(str::trim);
                    self.name = name.filter(|name| !name.is_empty()).map(str::to_owned);
                }
            }
            _ => {}
        }
    }

    fn take_message(&mut self, line: &[u8], at: u64, role: Role) {
        self.message_count += 1;
        if matches!(role, Role::User | Role::Assistant) {
            self.last_word = Some(Place::OnDisk {
                at,
                bytes: line.len() as u64,
            });
        }
        if role == Role::User && self.first_text.is_none() {
            self.first_text = first_text(line);
        }
    }

    fn last_word_ms(&self, file: &File) -> Option<i64> {
        #[derive(Deserialize)]
        struct Timed<'a> {
            #[serde(default)]
            timestamp: &'a str,
            message: Spoken,
        }
        #[derive(Deserialize)]
        struct Spoken {
            timestamp: Option<i64>,
        }
        let mut reader = LineReader::new(Some(file));
        let text = reader.read(self.last_word.as_ref()?).ok()?;
        let timed: Timed<'_> = serde_json::from_str(&text).ok()?;
        timed.message.timestamp.or_else(|| ms_of(timed.timestamp))
    }
}

/// Tells what a line is by how Deed and Pi begin it; other beginnings are read in full.
fn kind_of(line: &[u8]) -> Option<Kind> {
    const MAX_BEGINNING_BYTES: usize = 512;
    const SPEAKER: &[u8] = b"\"message\":{\"role\":\"";
    let word = word_after(line, b"{\"type\":\"");
    let kind = word.map(Kind::of_word);
    let Some(Kind::Message(_)) = kind else {
        return match word {
            Some(_) => kind,
            None => kind_in_full(line),
        };
    };
    let beginning = line.get(..MAX_BEGINNING_BYTES).unwrap_or(line);
    let role = memmem::find(beginning, SPEAKER)
        .and_then(|at| word_after(line.get(at..)?, SPEAKER))
        .map(|role| Role::of_word(role, false));
    // A line that was cut off ends otherwise.
    match role {
        Some(role) => line
            .trim_ascii_end()
            .ends_with(b"}")
            .then_some(Kind::Message(role)),
        None => kind_in_full(line),
    }
}

fn kind_in_full(line: &[u8]) -> Option<Kind> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    Head::read(&text_of(line)).ok().map(|head| head.kind)
}

fn word_after<'a>(line: &'a [u8], beginning: &[u8]) -> Option<&'a str> {
    let rest = line.strip_prefix(beginning)?;
    let end = memchr::memchr(b'"', rest)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}

/// The part of an entry that says who is called what; old entries have no place in a tree.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: Option<String>,
}

/// The part of an entry that was said.
#[derive(Deserialize)]
struct Said {
    message: Message,
}

fn first_text(line: &[u8]) -> Option<String> {
    let text = text_of(line);
    let Ok(Said { message }) = serde_json::from_str(&with_whole_pairs(&text)) else {
        return None;
    };
    let Message::User(message) = message else {
        return None;
    };
    let text = plain_text(&message.content);
    let text: String = text.trim().chars().take(MAX_FIRST_TEXT_CHARS).collect();
    (!text.is_empty()).then_some(text)
}
