use std::fmt;

use serde::Serialize;

use super::words::words;

/// Something that is not as the log's writers leave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing.
    pub kind: FindingKind,
    /// The file.
    pub file: String,
    /// The line in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_1based: Option<u64>,
    /// The number of the record in the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// What is wrong, for people.
    pub message: String,
}

words! {
    /// The kind of a [`Finding`].
    FindingKind {
        /// A record, or the one before it, is not the one that was written.
        Edited = "edited",
        /// Records are missing.
        Gap = "gap",
        /// Records stand in another order.
        Reordered = "reordered",
        /// A number was given twice.
        Duplicate = "duplicate",
        /// The last line is not whole.
        TornTail = "torn_tail",
        /// The log ends before its head.
        ShorterThanHead = "shorter_than_head",
        /// Records follow the head that no writer settled.
        LongerThanHead = "longer_than_head",
        /// The log holds another record than its head names.
        HeadMismatch = "head_mismatch",
        /// There is no head.
        HeadMissing = "head_missing",
        /// The head cannot be read.
        HeadUnreadable = "head_unreadable",
        /// A file does not go on where the file before it ended.
        ChainBroken = "chain_broken",
        /// A file that the chain names is not there.
        FileMissing = "file_missing",
        /// The log itself recorded that it had been tampered with.
        Recorded = "recorded",
        /// The log itself recorded that a writer or the machine was stopped; nothing is wrong with it.
        Recovered = "recovered",
    }
}

impl FindingKind {
    /// Tells whether the log is not whole.
    pub fn is_fault(self) -> bool {
        self != Self::Recovered
    }
}

impl Finding {
    pub(super) fn new(kind: FindingKind, file: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            file: file.to_owned(),
            line_1based: None,
            seq: None,
            message: message.into(),
        }
    }

    pub(super) fn at(mut self, line_1based: u64, seq: Option<u64>) -> Self {
        self.line_1based = Some(line_1based);
        self.seq = seq;
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line_1based {
            write!(f, ":{line}")?;
        }
        if let Some(seq) = self.seq {
            write!(f, " (record {seq})")?;
        }
        write!(
            f,
            ": {}: {}",
            self.kind.name().replace('_', " "),
            self.message
        )
    }
}
