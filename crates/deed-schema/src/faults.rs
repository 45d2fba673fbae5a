use std::fmt;

use crate::args::RawArgs;
use crate::pretty::pretty;

const MAX_SHOWN: usize = 20;
const MAX_RECEIVED_BYTES: usize = 2048;

/// One thing that is wrong with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    path: String,
    reason: String,
}

impl Fault {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }

    /// Returns where: keys and array indexes joined by dots, empty for the arguments as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns why, in words for the model.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "root"
        } else {
            &self.path
        };
        write!(f, "{path}: {}", self.reason)
    }
}

/// Everything that is wrong with arguments: at least one fault, missing fields first.
///
/// Shape: shown as one line a fault, `- edits.0.oldText: expected string, got 5`; at most twenty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Makes a list of one fault; the path is empty for the arguments as a whole.
    pub fn at(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self(vec![Fault::new(path, reason)])
    }

    pub(crate) fn from_list(faults: Vec<Fault>) -> Self {
        Self(faults)
    }

    /// Goes through the faults.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }

    /// Words the whole answer to a model that called a tool with wrong arguments.
    ///
    /// Shape: a line that names the tool, a line a fault, a blank line, and the received arguments
    /// laid out, at most 2 KiB of them.
    pub fn describe(&self, tool_name: &str, received: &RawArgs) -> String {
        format!(
            "Validation failed for tool \"{tool_name}\":\n{self}\n\nReceived arguments:\n{}",
            pretty(received.get(), MAX_RECEIVED_BYTES)
        )
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(MAX_SHOWN).enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}- {fault}")?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n- and {more} more"),
        }
    }
}

impl std::error::Error for Faults {}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
