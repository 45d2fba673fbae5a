use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much a model should think before it answers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not at all.
    #[default]
    Off,
    /// As little as the model can.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More than much, where the model knows such a level.
    Xhigh,
    /// As much as it can, where that is more still.
    Max,
}

impl ThinkingLevel {
    /// All levels, from none to most.
    pub const ALL: [Self; 7] = [
        Self::Off,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Xhigh,
        Self::Max,
    ];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl fmt::Display for ThinkingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// No thinking level has this name.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownThinkingLevel(pub String);

impl fmt::Display for UnknownThinkingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = ThinkingLevel::ALL.map(ThinkingLevel::as_str).join(", ");
        write!(f, "no thinking level {:?}; there are {known}", self.0)
    }
}

impl std::error::Error for UnknownThinkingLevel {}

impl FromStr for ThinkingLevel {
    type Err = UnknownThinkingLevel;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == word)
            .ok_or_else(|| UnknownThinkingLevel(word.to_owned()))
    }
}
