//! Reads the text of a bash command with certainty, or says why it cannot.
//!
//! Rules that allow and rules that deny look at the same [`ShellReading`] in two ways.
//! [`CommandPattern::allows`] is strict: it wants every word known. [`CommandPattern::denies`] is
//! greedy: it looks into wrappers, at what could be read of an unclear text, and at its bare words.
//! A deny rule on a shell is advice: text can always be built that no reader foresees.
//!
//! The grammar is tree-sitter's, which accepts more than it understands; so a word counts only if it
//! means the same with and without a shell, and everything between words must be blank.

mod decode;
mod hazards;
mod inner;
mod pattern;
mod tokens;
mod walk;
mod wrappers;

use std::cell::Cell;

pub use pattern::{CommandPattern, Denial, PatternError};

/// Commands that change the folder of the shell itself.
const CHANGE_FOLDER: [&str; 3] = ["cd", "popd", "pushd"];
const MAX_SCRIPT_LEVELS: usize = 4;
const MAX_SCRIPT_BYTES: usize = 64 * 1024;

/// What a command text says, as far as that is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellReading {
    /// The simple commands in the order of the text.
    ///
    /// Of an unclear text these are the ones that could be read; they are no ground to allow it.
    pub segments: Vec<Segment>,
    /// Why the text could not be read with certainty; `None` if every word of it is known.
    pub opaque: Option<String>,
    /// Everything in the text that may be a word, found without a grammar.
    pub words_of_text: Vec<String>,
}

impl ShellReading {
    /// Makes the reading of a text that is not read at all, such as one for another shell.
    pub fn unread(text: &str, why: impl Into<String>) -> Self {
        Self {
            segments: Vec::new(),
            opaque: Some(why.into()),
            words_of_text: tokens::words_of(text),
        }
    }

    /// Tells whether a part of the text may leave the shell in another folder than it began in.
    pub(crate) fn may_change_folder(&self) -> bool {
        let leaves = |argv: &Vec<String>| {
            let name = argv.first().map(|name| tokens::base_name(name));
            name.is_some_and(|name| CHANGE_FOLDER.contains(&name))
        };
        let mut parts = self.segments.iter();
        parts.any(|part| leaves(&part.argv) || part.inner.iter().any(leaves))
    }
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The words as the command receives them, up to the first that is not certain.
    pub argv: Vec<String>,
    /// Whether `argv` is the whole command and nothing else belongs to it, such as an assignment.
    pub complete: bool,
    /// The commands that a wrapper (`env`, `xargs`, `bash -c`, `find -exec`) may start.
    pub inner: Vec<Vec<String>>,
    /// The name of the wrapper, if this is one.
    pub wrapper: Option<String>,
    /// Options that make a harmless command run or write something, such as `git --output`.
    pub hazards: Vec<String>,
    /// Where input comes from and output goes to, in scripts inside too.
    pub redirects: Vec<Redirect>,
    /// The command as it was written.
    pub text: String,
    /// How many leading words a rule must spell out to the letter in order to allow this.
    spelled: usize,
    /// Whether it starts something that is not among `inner`.
    starts_unknown: bool,
}

/// A redirection of input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The file, or the number of the descriptor that is copied.
    pub target: String,
    /// Whether the target is written.
    pub writes: bool,
    /// Whether no file is touched (`/dev/null`, `2>&1`).
    pub harmless: bool,
}

/// Reads the text of a bash command.
///
/// Takes some hundred microseconds at most for a text of the usual size; a text above 32 KiB, or
/// one with control characters, is not read.
pub fn read_command(text: &str) -> ShellReading {
    let bytes = Cell::new(MAX_SCRIPT_BYTES);
    let bounds = inner::Bounds {
        levels: MAX_SCRIPT_LEVELS,
        bytes: &bytes,
    };
    walk::read(text, bounds)
}
