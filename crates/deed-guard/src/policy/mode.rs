use std::fmt;

use serde::{Serialize, Serializer};

/// What happens to calls that no rule speaks of.
///
/// Shape: ordered from the strictest to the loosest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermissionMode {
    /// Only what reads may run.
    Plan,
    /// What would be asked is refused.
    DontAsk,
    /// Reads inside the workspace run, the rest is asked.
    #[default]
    Default,
    /// Writes inside the workspace run too.
    AcceptEdits,
    /// Nothing is asked but database writes; deny rules hold.
    Bypass,
}

/// Modes by the words that people write.
pub(crate) const MODES: [(&str, PermissionMode); 5] = [
    ("plan", PermissionMode::Plan),
    ("default", PermissionMode::Default),
    ("acceptEdits", PermissionMode::AcceptEdits),
    ("dontAsk", PermissionMode::DontAsk),
    ("bypass", PermissionMode::Bypass),
];

impl PermissionMode {
    /// Finds a mode by the word for it.
    pub fn named(word: &str) -> Option<Self> {
        MODES
            .iter()
            .find_map(|(own, mode)| (*own == word).then_some(*mode))
    }

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        MODES
            .iter()
            .find_map(|(word, mode)| (*mode == self).then_some(*word))
            .unwrap_or_default()
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for PermissionMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Whose word a rule is, from the one that weighs most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Whoever runs the machine.
    Admin,
    /// A file named on the command line.
    CommandLine,
    /// The user's own file.
    User,
    /// The project's file.
    Project,
    /// Rules that a person stored with "always".
    Stored,
    /// Rules that hold for this session.
    Session,
}

impl Tier {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::CommandLine => "command-line",
            Self::User => "user",
            Self::Project => "project",
            Self::Stored => "stored",
            Self::Session => "session",
        }
    }
}

/// Whether database writes may run unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SqlWrites {
    Ask,
    Unattended,
}

pub(crate) const SQL_WRITES_WORDS: [(&str, SqlWrites); 2] = [
    ("ask", SqlWrites::Ask),
    ("unattended", SqlWrites::Unattended),
];

/// When audit records reach the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditDurability {
    /// Written before the effect, synced in groups soon after.
    #[default]
    Grouped,
    /// Synced before each effect.
    Strict,
}

pub(crate) const DURABILITIES: [(&str, AuditDurability); 2] = [
    ("grouped", AuditDurability::Grouped),
    ("strict", AuditDurability::Strict),
];
