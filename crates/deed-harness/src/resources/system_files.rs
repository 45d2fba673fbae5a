use std::path::{Path, PathBuf};

use super::problem::Problems;
use super::text_file::read_whole;
use super::{ResourcePlaces, ResourceProblem};

/// So much may stand in place of the prompt or behind it.
const MAX_BYTES: u64 = 256 * 1024;

/// A file that takes the place of the prompt, or stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemFile {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Reads the file of this name: that of a trusted project, else that of the user.
pub(super) fn load(
    name: &str,
    places: &ResourcePlaces,
    problems: &mut Problems,
) -> Option<SystemFile> {
    let project = places.project_is_trusted.then(|| places.project_folder());
    let folders = project.into_iter().chain(places.user.clone());
    for path in folders.map(|folder| folder.join(name)) {
        let read = read_whole(&path, MAX_BYTES);
        if let Some(Some(text)) = problems.keep(&path, read)
            && !text.trim().is_empty()
        {
            let text = text.trim_end().to_owned();
            return Some(SystemFile { path, text });
        }
    }
    None
}

/// Returns the text that an option gives: that of the file it names, if there is one, else its own.
///
/// Shape: a relative path starts from `cwd`.
///
/// Errors: the file is there and cannot be used.
pub fn text_or_file(given: &str, cwd: &Path) -> Result<String, ResourceProblem> {
    // A text of several lines is none that somebody would name a file.
    let may_be_path = !given.is_empty() && !given.contains('\n');
    let path = cwd.join(given);
    if may_be_path && path.is_file() {
        let text = read_whole(&path, MAX_BYTES)?.ok_or(ResourceProblem::Missing)?;
        return Ok(text.trim_end().to_owned());
    }
    Ok(given.to_owned())
}
