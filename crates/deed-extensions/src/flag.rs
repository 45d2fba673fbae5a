use std::sync::Arc;

use deed_protocol::SourceInfo;

/// What a flag holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    /// Yes or no.
    Switch,
    /// A text.
    Text,
}

impl FlagKind {
    pub(crate) fn takes(self, value: &FlagValue) -> bool {
        matches!(
            (self, value),
            (Self::Switch, FlagValue::Switch(_)) | (Self::Text, FlagValue::Text(_))
        )
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Switch => "yes or no",
            Self::Text => "a text",
        }
    }
}

/// The value of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlagValue {
    /// Yes or no.
    Switch(bool),
    /// A text.
    Text(String),
}

/// A flag of one extension.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    pub(crate) name: Arc<str>,
    pub(crate) kind: FlagKind,
    pub(crate) default: Option<FlagValue>,
    pub(crate) description: Arc<str>,
}

/// What may be known of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagInfo {
    /// The name, without dashes.
    pub name: Arc<str>,
    /// What it holds.
    pub kind: FlagKind,
    /// What it holds where nothing is given.
    pub default: Option<FlagValue>,
    /// What it does, for people.
    pub description: Arc<str>,
    /// Where it comes from.
    pub source: Arc<SourceInfo>,
}
