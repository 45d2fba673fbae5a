//! What an author might look at again: told of what an extension registered, and of its files.

mod code;
mod effects;
mod rules;
mod schema;

use std::fmt;
use std::path::PathBuf;

use deed_agent::ToolSpec;

use crate::Survey;

use code::Code;

/// Something that an author might look at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The item of the checklist that it belongs to.
    pub about: &'static str,
    /// Where, as far as it can be told.
    pub place: Option<(PathBuf, usize)>,
    /// What was seen, and what to do.
    pub text: String,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line_1based)) = &self.place {
            write!(f, "{}:{line_1based}: ", file.display())?;
        }
        write!(f, "{}: {}", self.about, self.text)
    }
}

/// Returns hints for the author of an extension, by place.
///
/// Shape: `tools` are those that it registered. What is told of code is told by names: a helper that
/// reads a file under a name of its own, in a package, does not show.
pub fn hints<'a>(survey: &Survey, tools: impl IntoIterator<Item = &'a ToolSpec>) -> Vec<Hint> {
    let code = Code::of(survey);
    let specs: Vec<_> = tools.into_iter().collect();
    let mut hints = rules::of_tools(&code, &specs);
    hints.extend(rules::of_handlers(&code));
    hints.sort_by(|one, other| one.place.cmp(&other.place));
    hints.dedup();
    hints
}
