use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line.
    #[serde(rename = "line")]
    pub line_1based: u32,
    /// The column, in characters.
    #[serde(rename = "column")]
    pub column_1based: u32,
}

impl Position {
    /// Finds the place of a byte.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        let columns = before.get(line_start..).unwrap_or_default().chars().count();
        Self {
            line_1based: count_from_one(lines),
            column_1based: count_from_one(columns),
        }
    }
}

fn count_from_one(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1)
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Fault,
    /// This part of the file does not count.
    Ignored,
}

/// Something in a settings file that is not as it should be.
///
/// Shape: shown as `file:line:column: reason; remedy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingsFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub file: Arc<str>,
    /// Where in it, if it could be read at all.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl fmt::Display for SettingsFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(at) => write!(
                f,
                "{}:{}:{}: {}",
                self.file, at.line_1based, at.column_1based, self.reason
            ),
            None => write!(f, "{}: {}", self.file, self.reason),
        }
    }
}

/// Everything that makes the settings unusable.
///
/// Shape: never empty; shown one a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFaults(pub Vec<SettingsFinding>);

impl fmt::Display for SettingsFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsFaults {}
