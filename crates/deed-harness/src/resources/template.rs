use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::{SourceInfo, SourceScope};

use super::front_matter;
use super::problem::Problems;
use super::skill::{can_be_typed, one_line};
use super::text_file::{is_absent, read_whole, unreadable};
use super::{Origin, ResourcePlaces, ResourceProblem};

/// A prompt has no reason to be larger.
const MAX_BYTES: u64 = 256 * 1024;
/// So much of the first line stands in for a description.
const MAX_DESCRIPTION_CHARS: usize = 60;

/// A prompt that is kept in a file; `/name arguments` is the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTemplate {
    /// Its name: that of the file.
    pub name: String,
    /// What it is for; the first line of the text if the file does not say.
    pub description: String,
    /// What to type behind the name, such as `<file> [focus]`.
    pub argument_hint: Option<String>,
    /// The text, with the marks that arguments take the place of.
    pub text: String,
    /// The file.
    pub path: PathBuf,
    /// Where it was found.
    pub source: Arc<SourceInfo>,
}

/// Reads the templates of all places; the first of a name counts.
pub(super) fn load(places: &ResourcePlaces, problems: &mut Problems) -> Vec<PromptTemplate> {
    let mut search = Search::new(Vec::new(), problems);
    let given = Origin::new("cli", SourceScope::Temporary);
    for path in &places.prompt_paths {
        search.named(path, &given);
    }
    if !places.discovers_prompts {
        return search.found;
    }
    if places.project_is_trusted {
        let project = Origin::new("local", SourceScope::Project);
        for path in &places.project_prompt_paths {
            search.named(path, &project);
        }
        search.folder(&places.project_folder().join("prompts"), &project);
    }
    let user = Origin::new("local", SourceScope::User);
    for path in &places.user_prompt_paths {
        search.named(path, &user);
    }
    if let Some(folder) = &places.user {
        search.folder(&folder.join("prompts"), &user);
    }
    search.found
}

/// A search through folders that templates may be in.
pub(super) struct Search<'a> {
    problems: &'a mut Problems,
    found: Vec<PromptTemplate>,
}

impl<'a> Search<'a> {
    /// Goes on from templates that were found before.
    pub(super) fn new(found: Vec<PromptTemplate>, problems: &'a mut Problems) -> Self {
        Self { problems, found }
    }

    pub(super) fn found(self) -> Vec<PromptTemplate> {
        self.found
    }

    /// Takes what somebody named: a template, or a folder of templates.
    pub(super) fn named(&mut self, path: &Path, origin: &Origin) {
        if path.is_dir() {
            self.folder(path, origin);
        } else if path.exists() {
            self.file(path, origin);
        } else {
            self.problems.add(path, ResourceProblem::Missing);
        }
    }

    /// Takes the Markdown files that lie in a folder, not those of its folders.
    fn folder(&mut self, folder: &Path, origin: &Origin) {
        let read = match folder.read_dir() {
            Ok(entries) => Ok(entries),
            Err(error) if is_absent(&error) => return,
            Err(error) => Err(unreadable(&error)),
        };
        let Some(entries) = self.problems.keep(folder, read) else {
            return;
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let is_template = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
        let mut paths: Vec<PathBuf> = paths.filter(is_template).collect();
        paths.sort();
        for path in paths.iter().filter(|path| !path.is_dir()) {
            self.file(path, origin);
        }
    }

    fn file(&mut self, path: &Path, origin: &Origin) {
        let made = make(path, origin);
        let Some(template) = self.problems.keep(path, made) else {
            return;
        };
        match self.found.iter().find(|there| there.name == template.name) {
            None => self.found.push(template),
            // Two ways to one file are no conflict.
            Some(winner) if crate::real(&winner.path) == crate::real(path) => {}
            Some(winner) => {
                let name = format!("/{}", template.name);
                let winner = winner.path.clone();
                let taken = ResourceProblem::Taken { name, winner };
                self.problems.add(path, taken);
            }
        }
    }
}

fn make(path: &Path, origin: &Origin) -> Result<PromptTemplate, ResourceProblem> {
    let text = read_whole(path, MAX_BYTES)?.ok_or(ResourceProblem::Missing)?;
    let (head, body) = front_matter::split(&text)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if !can_be_typed(&name) {
        return Err(ResourceProblem::BadName(name.into_owned()));
    }
    let description = match head.text("description")? {
        Some(text) if !text.trim().is_empty() => one_line(text),
        _ => first_line(body),
    };
    let hint = head.raw("argument-hint").map(one_line);
    Ok(PromptTemplate {
        name: name.into_owned(),
        description,
        argument_hint: hint.filter(|hint| !hint.is_empty()),
        text: body.trim().to_owned(),
        path: path.to_owned(),
        source: origin.info(path),
    })
}

fn first_line(body: &str) -> String {
    let line = body.lines().map(str::trim).find(|line| !line.is_empty());
    let line = one_line(line.unwrap_or_default());
    match line.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        None => line,
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default().trim_end()),
    }
}
