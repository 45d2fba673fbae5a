//! `audit.head`: where the chain ends, in one line of fixed size, overwritten in place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::finding::{Finding, FindingKind};
use super::line::HexHash;
use super::place::is_month_file;

pub(super) const HEAD_FILE: &str = "audit.head";
/// Stands for the file of the record before the first.
pub(super) const NO_FILE: &str = "audit-0000-00.jsonl";
const HEAD_BYTES: usize = 104;

/// The end of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Whether nobody was writing after it.
    pub(super) is_settled: bool,
    pub(super) file: String,
    pub(super) seq: u64,
    pub(super) hash: HexHash,
}

/// What the head file says.
#[derive(PartialEq, Eq)]
pub(super) enum HeadState {
    Missing,
    Unreadable,
    Read(Head),
}

impl Head {
    /// Shape: `= audit-2026-12.jsonl 0000000000000012 HASH`, with `+` while somebody appends.
    pub(super) fn write(&self, file: &File) -> io::Result<()> {
        let mark = if self.is_settled { '=' } else { '+' };
        let (name, seq, hash) = (&self.file, self.seq, self.hash.as_str());
        file.write_all_at(format!("{mark} {name} {seq:016} {hash}\n").as_bytes(), 0)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let mut words = text.split(' ');
        let (mark, file, seq, hash) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let is_whole = words.next().is_none() && is_month_file(file) && seq.len() == 16;
        Some(Self {
            is_settled: match mark {
                "=" => true,
                "+" => false,
                _ => return None,
            },
            file: is_whole.then(|| file.to_owned())?,
            seq: seq.parse().ok()?,
            hash: HexHash::read(hash.as_bytes())?,
        })
    }
}

impl HeadState {
    pub(super) fn read(file: &File) -> io::Result<Self> {
        let mut bytes = [0; HEAD_BYTES + 1];
        let mut length = 0;
        while let Some(room) = bytes.get_mut(length..).filter(|room| !room.is_empty()) {
            match file.read_at(room, length as u64) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let bytes = bytes.get(..length).unwrap_or_default();
        Ok(match Head::parse(bytes) {
            Some(head) => Self::Read(head),
            None if bytes.is_empty() => Self::Missing,
            None => Self::Unreadable,
        })
    }

    /// Compares the head with the last record that is there.
    pub(super) fn compare(&self, seq: u64, hash: HexHash) -> Option<Finding> {
        let finding = |kind, message: String| Some(Finding::new(kind, HEAD_FILE, message));
        match self {
            Self::Missing if seq == 0 => None,
            Self::Missing => finding(
                FindingKind::HeadMissing,
                "there are records but no head, so a cut could not be seen".into(),
            ),
            Self::Unreadable => finding(
                FindingKind::HeadUnreadable,
                "it is no head, so a cut could not be seen".into(),
            ),
            Self::Read(head) if head.seq > seq => finding(
                FindingKind::ShorterThanHead,
                format!(
                    "the log ends at record {seq}, its head is record {}",
                    head.seq
                ),
            ),
            Self::Read(head) if head.seq == seq && head.hash != hash => finding(
                FindingKind::HeadMismatch,
                format!("record {seq} is another one than the head names"),
            ),
            Self::Read(head) if head.seq < seq && head.is_settled => finding(
                FindingKind::LongerThanHead,
                format!(
                    "the log goes on to record {seq}, its head is record {}: \
                     a power cut, or somebody appended",
                    head.seq
                ),
            ),
            Self::Read(_) => None,
        }
    }
}
