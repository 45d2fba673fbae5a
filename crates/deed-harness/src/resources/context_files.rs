use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::problem::Problems;
use super::text_file::{FileText, read_head};
use super::{ResourcePlaces, ResourceProblem, owner};

/// The names of context files; of one folder the first that is there counts.
const NAMES: [&str; 5] = [
    "AGENTS.override.md",
    "AGENTS.md",
    "AGENTS.MD",
    "CLAUDE.md",
    "CLAUDE.MD",
];

/// So much of one file is in the prompt.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// So much of all files together is in the prompt; the nearest have the first claim.
const MAX_ALL_BYTES: u64 = 128 * 1024;

/// What people wrote down for agents that work in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// The file.
    pub path: PathBuf,
    /// What the prompt has of it; where it was cut, the last line says so.
    pub text: String,
}

/// Reads the file of the user, then one of each folder from the outermost down to the working one;
/// files that settings name stand behind those of their owner.
///
/// The text that comes later is nearer, and where two differ a reader takes the nearer one.
pub(super) fn load(places: &ResourcePlaces, problems: &mut Problems) -> Vec<ContextFile> {
    let mut reading = Reading {
        problems,
        cwd: &places.cwd,
        found: Vec::new(),
        seen: HashSet::new(),
        left: MAX_ALL_BYTES,
    };
    // The nearest first, for it has the first claim to the room.
    if places.project_is_trusted {
        reading.named(&places.project_context_paths);
    }
    for folder in places.cwd.ancestors() {
        reading.folder(folder);
    }
    reading.named(&places.user_context_paths);
    if let Some(folder) = &places.user {
        reading.folder(folder);
    }
    let mut found = reading.found;
    found.reverse();
    found
}

struct Reading<'a> {
    problems: &'a mut Problems,
    cwd: &'a Path,
    found: Vec<ContextFile>,
    /// The real files, so that links do not make two of one.
    seen: HashSet<PathBuf>,
    left: u64,
}

impl Reading<'_> {
    fn named(&mut self, paths: &[PathBuf]) {
        for path in paths.iter().rev() {
            if self.file(path).is_none() && !path.exists() {
                self.problems.add(path, ResourceProblem::Missing);
            }
        }
    }

    fn folder(&mut self, folder: &Path) {
        for name in NAMES {
            let path = folder.join(name);
            if path.symlink_metadata().is_err() {
                continue;
            }
            if !owner::may_speak(&path, self.cwd) {
                self.problems.add(path, ResourceProblem::OfAnother);
            } else if self.file(&path).is_some() {
                return;
            }
        }
    }

    /// Takes a file; `None` if there is none that can be read.
    fn file(&mut self, path: &Path) -> Option<()> {
        let read = read_head(path, self.left.min(MAX_FILE_BYTES));
        let file = self.problems.keep(path, read)??;
        if !self.seen.insert(crate::real(path)) || is_blank(&file) {
            return Some(());
        }
        self.left = self.left.saturating_sub(file.text.len() as u64);
        if file.is_cut {
            let cut = ResourceProblem::Cut {
                kept_bytes: file.text.len(),
                total_bytes: file.total_bytes,
            };
            self.problems.add(path, cut);
        }
        self.found.push(ContextFile {
            text: text_of(path, file),
            path: path.to_owned(),
        });
        Some(())
    }
}

fn is_blank(file: &FileText) -> bool {
    !file.is_cut && file.text.trim().is_empty()
}

fn text_of(path: &Path, file: FileText) -> String {
    let mut text = file.text;
    text.truncate(text.trim_end().len());
    if file.is_cut {
        let (kept, total) = (text.len(), file.total_bytes);
        let notice = format!(
            "\n[Only the first {kept} of {total} bytes; the rest is in {}.]",
            path.display()
        );
        text.push_str(&notice);
    }
    text
}
