use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file that says which extensions a package has.
const MANIFEST: &str = "package.json";

#[derive(Deserialize)]
struct Package {
    pi: Option<Pi>,
}

#[derive(Deserialize)]
struct Pi {
    extensions: Option<Vec<PathBuf>>,
}

/// Returns the files and folders that a package names as its extensions; `None` if it names none.
///
/// Errors: there is such a file and it cannot be read; the text names it.
pub(super) fn extensions_of(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let package: Package =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let named = package.pi.and_then(|pi| pi.extensions);
    let named = named.filter(|named| !named.is_empty());
    Ok(named.map(|named| named.iter().map(|path| folder.join(path)).collect()))
}
