use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::SourceInfo;

use super::front_matter::{self, FrontMatter};
use super::problem::Problems;
use super::text_file::read_whole;
use super::{Origin, ResourceProblem};

/// A skill is read by a model: it has no reason to be larger.
const MAX_SKILL_BYTES: u64 = 1024 * 1024;
/// As the specification of agent skills has it.
const MAX_NAME_CHARS: usize = 64;
/// As the specification of agent skills has it.
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Instructions for one kind of work, which the model reads when it has such work to do.
///
/// Source: <https://agentskills.io/specification>.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its name; `/skill:name` is the command.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The file with the instructions.
    pub path: PathBuf,
    /// Whether the prompt speaks of it; else only the command reaches it.
    pub in_prompt: bool,
    /// Where it was found.
    pub source: Arc<SourceInfo>,
}

/// What a file must have to count as a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The file says that it is one.
    Declared,
    /// It may also be some other text, which is then passed over.
    Perhaps,
}

impl Skill {
    /// Returns the folder that paths in the instructions start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Reads the instructions as they are now.
    ///
    /// Errors: the file is gone or no skill any more.
    pub(super) fn instructions(&self) -> Result<String, ResourceProblem> {
        let text = read_whole(&self.path, MAX_SKILL_BYTES)?.ok_or(ResourceProblem::Missing)?;
        let (_, body) = front_matter::split(&text)?;
        Ok(body.trim().to_owned())
    }
}

/// Reads the head of a skill.
pub(super) fn load(
    path: &Path,
    wanted: Wanted,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<Skill> {
    let read = read_whole(path, MAX_SKILL_BYTES);
    let text = problems.keep(path, read)?;
    let Some(text) = text else {
        problems.add(path, ResourceProblem::Missing);
        return None;
    };
    let head = front_matter::split(&text).map(|(head, _)| head);
    let head = problems.keep(path, head.map_err(ResourceProblem::from))?;
    if wanted == Wanted::Perhaps && head.raw("description").is_none() {
        return None;
    }
    let made = make(path, &head, origin, problems);
    problems.keep(path, made)
}

fn make(
    path: &Path,
    head: &FrontMatter,
    origin: &Origin,
    problems: &mut Problems,
) -> Result<Skill, ResourceProblem> {
    let description = head.text("description")?.unwrap_or_default();
    let description = one_line(description);
    if description.is_empty() {
        return Err(ResourceProblem::NoDescription);
    }
    let name = match head.text("name")? {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => name_of(path),
    };
    if !can_be_typed(&name) {
        return Err(ResourceProblem::BadName(name));
    }
    if !is_portable(&name) {
        problems.add(path, ResourceProblem::OddName(name.clone()));
    }
    Ok(Skill {
        description: bounded(description, path, problems),
        in_prompt: !head.flag("disable-model-invocation")?,
        source: origin.info(path),
        path: path.to_owned(),
        name,
    })
}

/// The folder of a `SKILL.md` has its name; any other file has its own.
fn name_of(path: &Path) -> String {
    let is_main = path.file_name().is_some_and(|name| name == "SKILL.md");
    let named = match is_main {
        true => path.parent().and_then(Path::file_name),
        false => path.file_stem(),
    };
    named.unwrap_or_default().to_string_lossy().into_owned()
}

fn bounded(description: String, path: &Path, problems: &mut Problems) -> String {
    let Some((cut, _)) = description.char_indices().nth(MAX_DESCRIPTION_CHARS) else {
        return description;
    };
    let max_chars = MAX_DESCRIPTION_CHARS;
    problems.add(path, ResourceProblem::LongDescription { max_chars });
    let mut description = description;
    description.truncate(cut);
    description.push('…');
    description
}

/// Tells whether a name can stand behind a slash.
pub(super) fn can_be_typed(name: &str) -> bool {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && name.chars().all(is_plain)
}

fn is_portable(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.chars().all(is_plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
