//! Paths as models write them.

use std::path::{Path, PathBuf};

use deed_agent::ToolError;
use deed_env::file::{FileKind, Inspection};
use deed_env::{EnvError, ExecutionEnv};
use deed_protocol::ToolResult;
use serde_json::Value;

use crate::failure::tool_error;

mod lookalike;
mod spelling;

/// What a call wants of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Something that is there: a name that only looks the same is taken too.
    Existing,
    /// A file to write, which may be new.
    Writable,
}

/// A path of a call and where it leads.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// As the call wrote it.
    pub(crate) given: String,
    /// The path to act on: absolute, links not followed.
    pub(crate) path: PathBuf,
    /// What stands there.
    pub(crate) found: Inspection,
    /// Whether it is another path than the one written.
    is_respelled: bool,
}

impl Located {
    /// Returns the path with every link followed.
    pub(crate) fn real(&self) -> &Path {
        self.found.path.as_path()
    }

    /// Tells whether nothing stands there.
    pub(crate) fn is_missing(&self) -> bool {
        self.found.kind == FileKind::Missing
    }

    /// Adds the path to the details of a result if it is not the one that was written.
    pub(crate) fn name_in(&self, result: &mut ToolResult) {
        if self.is_respelled
            && let Some(Value::Object(details)) = &mut result.details
        {
            let path = self.path.display().to_string();
            details.insert("path".to_owned(), path.into());
        }
    }

    /// Makes the failure of a call that needs something to be there.
    pub(crate) fn missing(&self) -> ToolError {
        missing(&self.given, &self.path)
    }
}

/// Finds what a call means by a path.
///
/// The path as written counts first. Only if nothing is there are spellings tried that models use:
/// `@` in front, `~` for the home folder, a `file://` address, exotic spaces for plain ones. For
/// [`Purpose::Existing`] a name that only looks the same (composed letters, curly apostrophes,
/// exotic spaces) is the last resort. Of a missing file the likeliest spelling is returned.
///
/// Errors: an empty path, a NUL byte, or a failure of the environment.
pub(crate) async fn locate(
    env: &dyn ExecutionEnv,
    given: &str,
    purpose: Purpose,
) -> Result<Located, ToolError> {
    check(given)?;
    let spellings = spelling::spellings(given, env.home());
    let mut candidates: Vec<PathBuf> = Vec::with_capacity(spellings.len());
    for spelling in spellings {
        let path = env.cwd().join(spelling);
        if candidates.contains(&path) {
            continue;
        }
        let found = inspect(env, &path).await?;
        if let Some(found) = found.filter(|found| found.kind != FileKind::Missing) {
            return Ok(located(given, path, found, !candidates.is_empty()));
        }
        candidates.push(path);
    }
    if purpose == Purpose::Existing
        && let Some(path) = lookalike::find(env, &candidates).await?
    {
        let found = env.inspect(&path).await.map_err(tool_error)?;
        return Ok(located(given, path, found, true));
    }
    let (path, is_respelled) = likeliest(env, candidates).await?;
    match inspect(env, &path).await? {
        Some(found) => Ok(located(given, path, found, is_respelled)),
        None => Err(missing(given, &path)),
    }
}

/// Returns the absolute path of what a call wrote, taken to the letter.
///
/// Errors: an empty path or a NUL byte.
pub(crate) fn literal(env: &dyn ExecutionEnv, given: &str) -> Result<PathBuf, ToolError> {
    check(given)?;
    Ok(env.cwd().join(given))
}

fn located(given: &str, path: PathBuf, found: Inspection, is_respelled: bool) -> Located {
    Located {
        given: given.to_owned(),
        path,
        found,
        is_respelled,
    }
}

fn missing(given: &str, path: &Path) -> ToolError {
    let path = path.display();
    ToolError::Failed(format!(
        "{given}: no such file or directory (looked for {path})"
    ))
}

fn check(given: &str) -> Result<(), ToolError> {
    let fault = if given.is_empty() {
        "path is empty; name a file or folder (`.` is the working folder)"
    } else if given.contains('\0') {
        "path contains a NUL byte"
    } else {
        return Ok(());
    };
    Err(ToolError::InvalidArguments(fault.to_owned()))
}

/// Looks at a path; `None` if it leads through something that is no folder.
async fn inspect(env: &dyn ExecutionEnv, path: &Path) -> Result<Option<Inspection>, ToolError> {
    match env.inspect(path).await {
        Ok(found) => Ok(Some(found)),
        Err(EnvError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotADirectory => {
            Ok(None)
        }
        Err(error) => Err(tool_error(error)),
    }
}

/// Picks the spelling for a file that is not there: the last one, which is the plainest, unless
/// only the folder of an earlier one exists.
async fn likeliest(
    env: &dyn ExecutionEnv,
    candidates: Vec<PathBuf>,
) -> Result<(PathBuf, bool), ToolError> {
    for (index, candidate) in candidates.iter().enumerate().rev() {
        let Some(parent) = candidate.parent() else {
            continue;
        };
        if env
            .kind(parent)
            .await
            .is_ok_and(|kind| kind == FileKind::Folder)
        {
            return Ok((candidate.clone(), index > 0));
        }
    }
    let is_respelled = candidates.len() > 1;
    let path = candidates.into_iter().next_back();
    path.map(|path| (path, is_respelled))
        .ok_or_else(|| ToolError::Failed("path names nothing".to_owned()))
}
