//! The order of the records, checked one by one.

use deed_schema::Sha256Hash;

use super::own::{Recovery, previous_file};
use super::report::{Findings, RecordRef, Report};
use super::{Anchor, Finding, FindingKind};
use crate::audit::line::{self, HexHash, Seen};

const MAX_OPEN_GAPS: usize = 32;

/// The place of a line.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) name: &'a str,
    pub(super) line_1based: u64,
}

impl At<'_> {
    fn finding(self, kind: FindingKind, seq: u64, message: String) -> Finding {
        Finding::new(kind, self.name, message).at(self.line_1based, Some(seq))
    }
}

/// A record that the next one may name: by the hash that it states, or by the one that it has.
struct Link {
    seq: u64,
    stated: HexHash,
    computed: HexHash,
}

impl Link {
    fn is_named(&self, prev: &str) -> bool {
        [self.stated, self.computed]
            .iter()
            .any(|hash| hash.as_str() == prev)
    }
}

/// Numbers that were passed over.
struct Gap {
    from: u64,
    to: u64,
    left: u64,
    finding: Option<usize>,
}

pub(super) struct Chain {
    expected: Vec<Anchor>,
    outside: Option<Anchor>,
    is_one_file: bool,
    /// The last record in order.
    tip: Option<Link>,
    first: Option<RecordRef>,
    last: Option<RecordRef>,
    records: u64,
    gaps: Vec<Gap>,
    /// Lines since the tip that are no records.
    unreadable: u64,
    is_at_start: bool,
    findings: Findings,
}

impl Chain {
    pub(super) fn new(outside: Option<Anchor>, is_one_file: bool) -> Self {
        Self {
            expected: outside.into_iter().collect(),
            outside,
            is_one_file,
            tip: None,
            first: None,
            last: None,
            records: 0,
            gaps: Vec::new(),
            unreadable: 0,
            is_at_start: true,
            findings: Findings::default(),
        }
    }

    /// Says which record must have which hash.
    pub(super) fn expect(&mut self, seq: u64, sha256: Sha256Hash) {
        self.expected.push(Anchor { seq, sha256 });
    }

    pub(super) fn report(&mut self, finding: Finding) -> Option<usize> {
        self.findings.add(finding)
    }

    /// The number and the hash of the last record in order.
    pub(super) fn end(&self) -> (u64, HexHash) {
        let tip = self.tip.as_ref();
        tip.map_or((0, HexHash::ZEROS), |tip| (tip.seq, tip.computed))
    }

    pub(super) fn start_file(&mut self) {
        self.is_at_start = true;
    }

    pub(super) fn torn(&mut self, at: At<'_>) {
        let message = "the last line is not whole: a writer was stopped, or somebody cut the file";
        let finding = Finding::new(FindingKind::TornTail, at.name, message);
        self.report(finding.at(at.line_1based, None));
    }

    pub(super) fn line(&mut self, at: At<'_>, bytes: &[u8]) {
        let parts = line::split(bytes);
        let seen = parts.as_ref().and_then(|parts| Seen::read(parts.record));
        let (Some(parts), Some(seen)) = (parts, seen) else {
            self.unreadable += 1;
            let message = "the line is no audit record";
            let finding = Finding::new(FindingKind::Edited, at.name, message);
            self.report(finding.at(at.line_1based, None));
            return;
        };
        self.records += 1;
        let link = Link {
            seq: seen.seq,
            stated: parts.stated,
            computed: HexHash::of(parts.record),
        };
        if link.stated != link.computed {
            return self.edited(at, &seen, link);
        }
        if seen.event == "recovered" {
            self.recovered(at, seen.seq, parts.record);
        }
        if self.order(at, &seen, parts.record) {
            self.go_on(at, &seen, link);
        }
    }

    /// A record whose bytes are not those that were hashed: neither is its number to be believed.
    fn edited(&mut self, at: At<'_>, seen: &Seen<'_>, mut link: Link) {
        if let Some(tip) = &self.tip {
            link.seq = tip.seq + 1 + self.unreadable;
        }
        let message = "the record was changed: its hash is another one".to_owned();
        self.report(at.finding(FindingKind::Edited, link.seq, message));
        self.go_on(at, seen, link);
    }

    fn go_on(&mut self, at: At<'_>, seen: &Seen<'_>, link: Link) {
        let record = RecordRef {
            file: at.name.to_owned(),
            seq: link.seq,
            ts: seen.ts.to_owned(),
            sha256: link.computed.to_hash(),
        };
        let is_other = |it: &Anchor| it.seq == link.seq && it.sha256 != record.sha256;
        if link.stated == link.computed && self.expected.iter().any(is_other) {
            let message = "the head names another record with this number".to_owned();
            self.report(at.finding(FindingKind::HeadMismatch, link.seq, message));
        }
        self.first.get_or_insert_with(|| record.clone());
        self.last = Some(record);
        self.tip = Some(link);
        self.unreadable = 0;
        self.is_at_start = false;
    }

    /// Checks number and link of a record; returns whether the chain goes on with it.
    fn order(&mut self, at: At<'_>, seen: &Seen<'_>, record: &[u8]) -> bool {
        let Some(tip) = &self.tip else {
            self.beginning(at, seen, record);
            return true;
        };
        let next = tip.seq + 1;
        if seen.seq < next {
            self.out_of_place(at, seen.seq);
            return false;
        }
        if seen.seq > next + self.unreadable {
            let missing = (next, seen.seq - 1);
            self.gap(at, seen, record, missing);
        } else if self.unreadable == 0 && !tip.is_named(seen.prev) {
            let (kind, message) = match self.is_at_start {
                true => (
                    FindingKind::ChainBroken,
                    "the file does not go on from the end of the file before it",
                ),
                false => (
                    FindingKind::Edited,
                    "the record names another one before it than the one that is there",
                ),
            };
            self.report(at.finding(kind, seen.seq, message.to_owned()));
        }
        true
    }

    fn beginning(&mut self, at: At<'_>, seen: &Seen<'_>, record: &[u8]) {
        if self.is_one_file && seen.event == "genesis" {
            return;
        }
        let is_first =
            seen.seq == 1 && seen.event == "genesis" && seen.prev == HexHash::ZEROS.as_str();
        if is_first || self.unreadable > 0 {
            return;
        }
        match previous_file(record) {
            Some(file) => self.file_missing(at, seen.seq, &file),
            None => {
                let message = format!(
                    "the log does not begin here: records before {} are missing",
                    seen.seq
                );
                self.report(at.finding(FindingKind::Gap, seen.seq, message));
            }
        }
    }

    fn file_missing(&mut self, at: At<'_>, seq: u64, file: &str) {
        let message = format!("the log goes on from {file}, which is not there");
        self.report(at.finding(FindingKind::FileMissing, seq, message));
    }

    fn gap(&mut self, at: At<'_>, seen: &Seen<'_>, record: &[u8], (from, to): (u64, u64)) {
        let before = self.last.as_ref().map(|last| last.file.as_str());
        let named =
            previous_file(record).filter(|file| self.is_at_start && Some(file.as_str()) != before);
        if let Some(file) = named {
            return self.file_missing(at, seen.seq, &file);
        }
        let message = match from == to {
            true => format!("record {from} is missing before it"),
            false => format!("records {from} to {to} are missing before it"),
        };
        let finding = self.report(at.finding(FindingKind::Gap, seen.seq, message));
        if self.gaps.len() < MAX_OPEN_GAPS {
            let left = to - from + 1;
            self.gaps.push(Gap {
                from,
                to,
                left,
                finding,
            });
        }
    }

    /// A record whose number was passed already: missed before, or given twice.
    fn out_of_place(&mut self, at: At<'_>, seq: u64) {
        let gap = self
            .gaps
            .iter_mut()
            .find(|gap| (gap.from..=gap.to).contains(&seq) && gap.left > 0);
        let Some(gap) = gap else {
            let message = "its number was given before".to_owned();
            self.report(at.finding(FindingKind::Duplicate, seq, message));
            return;
        };
        gap.left -= 1;
        let Gap {
            from,
            to,
            left,
            finding,
        } = *gap;
        let message = match left {
            0 => format!("it stands before records {from} to {to}, which follow later"),
            _ => format!(
                "of the records {from} to {to} before it {left} are missing and others follow later"
            ),
        };
        self.findings
            .change(finding, FindingKind::Reordered, message);
    }

    fn recovered(&mut self, at: At<'_>, seq: u64, record: &[u8]) {
        let Some(told) = Recovery::read(record) else {
            return;
        };
        let kind = match told.is_innocent() {
            true => FindingKind::Recovered,
            false => FindingKind::Recorded,
        };
        self.report(at.finding(
            kind,
            seq,
            format!("found and recorded then: {}", told.reason),
        ));
    }

    pub(super) fn into_report(mut self, files: usize) -> Report {
        let (end, _) = self.end();
        if let Some(anchor) = self.outside.filter(|anchor| anchor.seq > end) {
            let file = self
                .last
                .as_ref()
                .map_or_else(String::new, |last| last.file.clone());
            let message = format!(
                "the log ends at record {end}, the expected head is record {}",
                anchor.seq
            );
            self.report(Finding::new(FindingKind::ShorterThanHead, &file, message));
        }
        let (findings, more_findings) = self.findings.into_parts();
        Report {
            files,
            records: self.records,
            first: self.first,
            last: self.last,
            findings,
            more_findings,
        }
    }
}
