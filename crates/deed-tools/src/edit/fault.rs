use std::fmt;

use thiserror::Error;

use super::nearest::Nearest;

/// Which of the edits of a call; says nothing where there is only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Which {
    pub(super) index: usize,
    pub(super) of: usize,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of == 1 {
            Ok(())
        } else {
            write!(f, "edits[{}]: ", self.index)
        }
    }
}

/// Why a file cannot be changed as asked.
#[derive(Debug, Error)]
pub(super) enum EditFault {
    #[error("{which}the old text must not be empty; to make or fill a file use write")]
    EmptyOldText { which: Which },
    #[error("{which}the old text is not in the file. {}", hint(nearest.as_ref()))]
    NotFound {
        which: Which,
        nearest: Option<Nearest>,
    },
    #[error(
        "{which}the old text occurs {count} times{}; take more of the lines round the one that is \
         meant, so that it occurs once",
        at_lines(lines)
    )]
    Ambiguous {
        which: Which,
        count: Count,
        lines: Vec<u64>,
    },
    #[error(
        "{which}the old text is not in the file exactly, and what looks the same (quotes, dashes, \
         spaces, blanks at line ends aside) occurs {count} times{}; take more of the lines round \
         the one that is meant, exactly as read shows them",
        at_lines(lines)
    )]
    AmbiguousTolerant {
        which: Which,
        count: Count,
        lines: Vec<u64>,
    },
    #[error(
        "edits[{first}] and edits[{second}] overlap at line {line}; put them into one, or make \
         their old texts shorter"
    )]
    Overlap {
        first: usize,
        second: usize,
        line: u64,
    },
    #[error(
        "it is written in UTF-16, and edit works on UTF-8 and on what is written with single \
         bytes; change it with a command, or write it whole"
    )]
    Utf16,
    #[error("the new text is what stands there already, so there is nothing to change")]
    NothingChanges,
    #[error("Operation aborted")]
    Cancelled,
}

/// How often something occurs, counted up to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) at_least: usize,
    pub(super) is_all: bool,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.is_all { "" } else { "at least " };
        write!(f, "{prefix}{}", self.at_least)
    }
}

fn at_lines(lines: &[u64]) -> String {
    const MAX_SHOWN: usize = 10;
    let shown: Vec<String> = lines.iter().take(MAX_SHOWN).map(u64::to_string).collect();
    let more = if lines.len() > MAX_SHOWN { ", …" } else { "" };
    match lines {
        [] => String::new(),
        [_] => format!(" (line {})", shown.join("")),
        _ => format!(" (lines {}{more})", shown.join(", ")),
    }
}

fn hint(nearest: Option<&Nearest>) -> String {
    match nearest {
        None => "Read the file again to see what it holds".to_owned(),
        Some(nearest) => format!(
            "It must be there exactly, white space included. The closest lines are:\n{nearest}"
        ),
    }
}
