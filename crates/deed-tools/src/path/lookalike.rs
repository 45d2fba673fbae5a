use std::path::{Component, Path, PathBuf};

use deed_agent::ToolError;
use deed_env::ExecutionEnv;
use deed_env::file::FileKind;
use tokio_util::sync::CancellationToken;
use unicode_normalization::UnicodeNormalization as _;

use super::spelling::with_plain_spaces;
use crate::failure::tool_error;

/// Finds the one thing whose path looks like one of the candidates.
///
/// Names on disk can hold letters in two parts, curly apostrophes or special spaces that a model
/// writes in their plain form. Where two names look the same, none is taken.
pub(super) async fn find(
    env: &dyn ExecutionEnv,
    candidates: &[PathBuf],
) -> Result<Option<PathBuf>, ToolError> {
    for candidate in candidates {
        if let Some(path) = find_one(env, candidate).await? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

async fn find_one(env: &dyn ExecutionEnv, candidate: &Path) -> Result<Option<PathBuf>, ToolError> {
    let mut path = PathBuf::new();
    for component in candidate.components() {
        let Component::Normal(name) = component else {
            path.push(component);
            continue;
        };
        let exact = path.join(name);
        if env
            .kind(&exact)
            .await
            .is_ok_and(|kind| kind != FileKind::Missing)
        {
            path = exact;
            continue;
        }
        let Some(name) = name.to_str() else {
            return Ok(None);
        };
        match name_in(env, &path, name).await? {
            Some(name) => path.push(name),
            None => return Ok(None),
        }
    }
    Ok(Some(path))
}

async fn name_in(
    env: &dyn ExecutionEnv,
    folder: &Path,
    name: &str,
) -> Result<Option<String>, ToolError> {
    if !env
        .kind(folder)
        .await
        .is_ok_and(|kind| kind == FileKind::Folder)
    {
        return Ok(None);
    }
    let listing = match env
        .list(folder, &CancellationToken::new())
        .await
        .map_err(tool_error)
    {
        Ok(listing) => listing,
        Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
        Err(_) => return Ok(None),
    };
    let wanted = look(name);
    let mut alike = listing
        .entries
        .into_iter()
        .filter(|entry| look(&entry.name) == wanted);
    let found = alike.next();
    Ok(found
        .filter(|_| alike.next().is_none())
        .map(|entry| entry.name))
}

/// Returns what a name looks like.
fn look(name: &str) -> String {
    with_plain_spaces(name)
        .nfc()
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            other => other,
        })
        .collect()
}
