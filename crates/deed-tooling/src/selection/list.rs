use std::str::FromStr;

use thiserror::Error;

use super::NamePattern;

/// A list of tools as a user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolList {
    /// These and no others; an empty list is no tools.
    Only(Vec<NamePattern>),
    /// The default, changed.
    Change {
        /// Names that stood behind a `+`.
        add: Vec<String>,
        /// Names that stood behind a `-`.
        remove: Vec<String>,
    },
}

/// Why a text is no list of tools.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SelectionError {
    /// Both forms are in it.
    #[error(
        "the list of tools mixes `{plain}` and `{signed}`; either name all tools, or put + or - before each to change the default"
    )]
    Mixed {
        /// The first entry without a sign.
        plain: String,
        /// The first entry with one.
        signed: String,
    },
    /// A sign stands before a pattern.
    #[error("`{entry}` in the list of tools has a `*`; behind + or - a tool must be named exactly")]
    SignedPattern {
        /// The entry.
        entry: String,
    },
    /// A sign stands alone.
    #[error("`{entry}` in the list of tools names no tool; write the name right behind the sign")]
    SignAlone {
        /// The entry.
        entry: String,
    },
}

impl FromStr for ToolList {
    type Err = SelectionError;

    /// Reads names and patterns separated by commas, or names that each have `+` or `-` before
    /// them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .collect();
        let (signed, plain): (Vec<&str>, Vec<&str>) = entries
            .iter()
            .partition(|entry| entry.starts_with(['+', '-']));
        if let (Some(plain), Some(signed)) = (plain.first(), signed.first()) {
            let (plain, signed) = ((*plain).to_owned(), (*signed).to_owned());
            return Err(SelectionError::Mixed { plain, signed });
        }
        if signed.is_empty() {
            return Ok(Self::Only(
                plain.into_iter().map(NamePattern::new).collect(),
            ));
        }
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        for entry in signed {
            let (list, name) = match entry.strip_prefix('+') {
                Some(name) => (&mut add, name),
                None => (&mut remove, entry.strip_prefix('-').unwrap_or(entry)),
            };
            let entry = entry.to_owned();
            if name.is_empty() {
                return Err(SelectionError::SignAlone { entry });
            }
            if name.contains('*') {
                return Err(SelectionError::SignedPattern { entry });
            }
            list.push(name.to_owned());
        }
        Ok(Self::Change { add, remove })
    }
}
