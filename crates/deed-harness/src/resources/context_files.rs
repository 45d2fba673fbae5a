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

/// Reads the file of the user, then one of each folder from the outermost down to the working one.
///
/// The text that comes later is nearer, and where two differ a reader takes the nearer one.
pub(super) fn load(places: &ResourcePlaces, problems: &mut Problems) -> Vec<ContextFile> {
    let mut folders: Vec<&Path> = places.cwd.ancestors().collect();
    folders.extend(places.user.as_deref());
    let (mut found, mut seen, mut left) = (Vec::new(), HashSet::new(), MAX_ALL_BYTES);
    for folder in folders {
        let max_bytes = left.min(MAX_FILE_BYTES);
        let Some((path, file)) = first_in(folder, max_bytes, &places.cwd, problems) else {
            continue;
        };
        if !seen.insert(crate::real(&path)) || is_blank(&file) {
            continue;
        }
        left = left.saturating_sub(file.text.len() as u64);
        if file.is_cut {
            let kept_bytes = file.text.len();
            let total_bytes = file.total_bytes;
            problems.add(
                &path,
                ResourceProblem::Cut {
                    kept_bytes,
                    total_bytes,
                },
            );
        }
        let text = text_of(&path, file);
        found.push(ContextFile { path, text });
    }
    found.reverse();
    found
}

fn is_blank(file: &FileText) -> bool {
    !file.is_cut && file.text.trim().is_empty()
}

fn first_in(
    folder: &Path,
    max_bytes: u64,
    cwd: &Path,
    problems: &mut Problems,
) -> Option<(PathBuf, FileText)> {
    for name in NAMES {
        let path = folder.join(name);
        if path.symlink_metadata().is_err() {
            continue;
        }
        if !owner::may_speak(&path, cwd) {
            problems.add(path, ResourceProblem::OfAnother);
            continue;
        }
        let read = read_head(&path, max_bytes);
        if let Some(Some(file)) = problems.keep(&path, read) {
            return Some((path, file));
        }
    }
    None
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
