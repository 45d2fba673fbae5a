use std::fmt;
use std::path::PathBuf;

use super::front_matter::FrontMatterError;

/// A file that was left out, or taken with a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceDiagnostic {
    /// The file or folder.
    pub path: PathBuf,
    /// What is the matter with it.
    pub problem: ResourceProblem,
}

impl ResourceDiagnostic {
    /// Tells whether it makes no difference here: the file is used as it stands.
    pub fn is_minor(&self) -> bool {
        matches!(self.problem, ResourceProblem::OddName(_))
    }
}

/// What can be the matter with a file that people write for the agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResourceProblem {
    /// It was named, and is not there.
    #[error("there is no such file or folder")]
    Missing,
    /// The system does not let it be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It is a device, a pipe or a folder.
    #[error("it is no regular file")]
    NoFile,
    /// It is not UTF-8.
    #[error("it is not UTF-8; save it as UTF-8")]
    NotUtf8,
    /// It is too large to be what it should be.
    #[error("it has more than {max_bytes} bytes; make it smaller")]
    TooLarge {
        /// How large it may be.
        max_bytes: u64,
    },
    /// The model sees only the first part of it.
    #[error("only {kept_bytes} of its {total_bytes} bytes are in the prompt; make it smaller")]
    Cut {
        /// How much of it is used.
        kept_bytes: usize,
        /// How large it is.
        total_bytes: u64,
    },
    /// It stands where everybody may write, and belongs to somebody else.
    #[error("it belongs to another user, in a folder that everybody may write to, and is left out")]
    OfAnother,
    /// Its head is wrong.
    #[error("it is left out: {0}")]
    FrontMatter(#[from] FrontMatterError),
    /// A skill says nothing of what it is for.
    #[error("a skill needs a `description` in the head of the file")]
    NoDescription,
    /// The description of a skill is too long for the prompt.
    #[error("the description has more than {max_chars} characters; the prompt has the first ones")]
    LongDescription {
        /// How long it may be.
        max_chars: usize,
    },
    /// A name is none that other agents take.
    #[error(
        "the name {0:?} should be at most 64 of a-z, 0-9 and single hyphens, as other agents want it"
    )]
    OddName(String),
    /// A name cannot be typed after a slash.
    #[error("{0:?} cannot be the name of a command: at most 64 characters, none of them blank")]
    BadName(String),
    /// Another of the name came first.
    #[error("{} has the name `{name}` already; this one is left out", winner.display())]
    Taken {
        /// The name, as it is typed after a slash.
        name: String,
        /// The file that has it.
        winner: PathBuf,
    },
    /// A folder is too deep or too large to look through.
    #[error("the search for skills ended here: {0}")]
    SearchEnded(&'static str),
}

impl fmt::Display for ResourceDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

/// Collects what was the matter.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<ResourceDiagnostic>);

impl Problems {
    pub(crate) fn add(&mut self, path: impl Into<PathBuf>, problem: ResourceProblem) {
        self.0.push(ResourceDiagnostic {
            path: path.into(),
            problem,
        });
    }

    /// Keeps what is there, and writes down what is not.
    pub(crate) fn keep<T>(
        &mut self,
        path: &std::path::Path,
        found: Result<T, ResourceProblem>,
    ) -> Option<T> {
        found.map_err(|problem| self.add(path, problem)).ok()
    }
}
