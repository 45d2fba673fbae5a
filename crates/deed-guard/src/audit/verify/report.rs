use std::fmt;

use deed_schema::Sha256Hash;
use serde::Serialize;

use crate::audit::finding::{Finding, FindingKind};

/// Findings beyond these are counted only; a replaced file would have one a line.
const MAX_FINDINGS: usize = 100;
const MAX_SHOWN: usize = 10;

/// What [`super::verify`] found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many files there are.
    pub files: usize,
    /// How many records they hold.
    pub records: u64,
    /// The first record.
    pub first: Option<RecordRef>,
    /// The last record; kept elsewhere, it is an anchor.
    pub last: Option<RecordRef>,
    /// What is not as it was written, in the order of the log.
    pub findings: Vec<Finding>,
    /// How many findings beyond these there are.
    pub more_findings: u64,
}

/// A record by its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordRef {
    /// Its file.
    pub file: String,
    /// Its number.
    pub seq: u64,
    /// Its time.
    pub ts: String,
    /// Its hash.
    pub sha256: Sha256Hash,
}

impl Report {
    /// Tells whether the log is as its writers left it.
    pub fn is_whole(&self) -> bool {
        self.first_fault().is_none()
    }

    /// Returns the first thing that is wrong.
    pub fn first_fault(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind.is_fault())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first_fault() {
            None => write!(f, "ok")?,
            Some(fault) => write!(f, "not whole: {fault}")?,
        }
        let (records, files) = (self.records, self.files as u64);
        let (records, files) = (counted(records, "record"), counted(files, "file"));
        write!(f, "\n{records} in {files}")?;
        if let (Some(first), Some(last)) = (&self.first, &self.last) {
            write!(f, ", {} to {}", first.ts, last.ts)?;
            write!(f, "\nhead: record {} {}", last.seq, last.sha256)?;
        }
        let first = self.first_fault();
        let others = self
            .findings
            .iter()
            .filter(|finding| Some(*finding) != first);
        for finding in others.clone().take(MAX_SHOWN) {
            let word = if finding.kind.is_fault() {
                "fault"
            } else {
                "note"
            };
            write!(f, "\n{word}: {finding}")?;
        }
        match others.count().saturating_sub(MAX_SHOWN) as u64 + self.more_findings {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Findings up to a bound.
#[derive(Default)]
pub(super) struct Findings {
    kept: Vec<Finding>,
    more: u64,
}

impl Findings {
    /// Keeps a finding, and returns its place if there was room.
    pub(super) fn add(&mut self, finding: Finding) -> Option<usize> {
        // A note must not take the room of a fault.
        let bound = if finding.kind.is_fault() {
            MAX_FINDINGS
        } else {
            MAX_FINDINGS / 2
        };
        if self.kept.len() < bound {
            self.kept.push(finding);
            return Some(self.kept.len() - 1);
        }
        self.more += 1;
        None
    }

    /// Changes what a gap turned out to be.
    pub(super) fn change(&mut self, place: Option<usize>, kind: FindingKind, message: String) {
        if let Some(finding) = place.and_then(|place| self.kept.get_mut(place)) {
            finding.kind = kind;
            finding.message = message;
        }
    }

    pub(super) fn into_parts(self) -> (Vec<Finding>, u64) {
        (self.kept, self.more)
    }
}
