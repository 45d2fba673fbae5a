//! Packages in `node_modules`: which file of one is meant.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Asked, ResolveError, file_or_folder};

impl Asked {
    /// Conditions of a package that hold here.
    fn holds(self, condition: &str) -> bool {
        let own = match self {
            Self::Import => "import",
            Self::Require => "require",
        };
        condition == own || ["node", "default", "module-sync"].contains(&condition)
    }
}

/// What a package says of itself, if it does.
fn manifest(folder: &Path) -> Option<Map<String, Value>> {
    let text = std::fs::read_to_string(folder.join("package.json")).ok()?;
    match serde_json::from_str(&text).ok()? {
        Value::Object(manifest) => Some(manifest),
        _ => None,
    }
}

/// Returns the `type` of the nearest package, `module` or `commonjs`.
pub(crate) fn nearest_type(file: &Path) -> Option<String> {
    let folders = file.ancestors().skip(1);
    let manifest = folders.map(manifest).find_map(|manifest| manifest)?;
    Some(manifest.get("type")?.as_str()?.to_owned())
}

/// Returns what a folder's package names as its main file.
pub(super) fn main_of(folder: &Path, asked: Asked) -> Option<PathBuf> {
    let manifest = manifest(folder)?;
    let keys: &[&str] = match asked {
        Asked::Import => &["module", "main"],
        Asked::Require => &["main"],
    };
    let mut mains = keys.iter().filter_map(|key| manifest.get(*key)?.as_str());
    Some(folder.join(mains.next()?))
}

/// What a name with `#` stands for.
pub(super) enum Imported {
    File(PathBuf),
    Specifier(String),
}

/// Looks a name with `#` up in the package that a folder is part of.
pub(super) fn imported(folder: &Path, name: &str, asked: Asked) -> Option<Imported> {
    let found = folder
        .ancestors()
        .find_map(|folder| Some((folder, manifest(folder)?)));
    let (folder, manifest) = found?;
    let target = entry(
        manifest.get("imports")?.as_object()?,
        &format!("#{name}"),
        asked,
    )?;
    Some(match target.starts_with("./") {
        true => Imported::File(folder.join(target)),
        false => Imported::Specifier(target),
    })
}

/// Finds the file that `package` or `package/subpath` means, from a folder upwards.
pub(super) fn find(specifier: &str, from: &Path, asked: Asked) -> Result<PathBuf, ResolveError> {
    let (name, subpath) = split(specifier);
    let mut folders = from
        .ancestors()
        .map(|folder| folder.join("node_modules").join(name));
    let Some(folder) = folders.find(|folder| folder.is_dir()) else {
        return Err(ResolveError::NoPackage {
            name: name.to_owned(),
            from: from.to_owned(),
            folder: from.to_owned(),
        });
    };
    let exports = manifest(&folder).and_then(|mut manifest| manifest.remove("exports"));
    let found = match &exports {
        Some(exports) => exported(exports, subpath, asked).map(|target| folder.join(target)),
        None => Some(folder.join(subpath.trim_start_matches('/'))),
    };
    found
        .and_then(|path| file_or_folder(&path, asked))
        .ok_or_else(|| ResolveError::NotExported {
            name: name.to_owned(),
            subpath: format!(".{subpath}"),
            folder,
        })
}

/// Takes `@scope/name/sub/path` apart into `@scope/name` and `/sub/path`.
fn split(specifier: &str) -> (&str, &str) {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier
        .match_indices('/')
        .nth(parts - 1)
        .map(|(at, _)| at);
    specifier.split_at(end.unwrap_or(specifier.len()))
}

fn exported(exports: &Value, subpath: &str, asked: Asked) -> Option<String> {
    let subpath = format!(".{subpath}");
    let table = exports
        .as_object()
        .filter(|table| table.keys().any(|key| key.starts_with('.')));
    match table {
        Some(table) => entry(table, &subpath, asked),
        None => (subpath == ".").then(|| chosen(exports, asked)).flatten(),
    }
}

/// Looks a key up, by name or by the longest pattern with one `*`.
fn entry(table: &Map<String, Value>, key: &str, asked: Asked) -> Option<String> {
    if let Some(value) = table.get(key) {
        return chosen(value, asked);
    }
    let patterns = table.iter().filter_map(|(pattern, value)| {
        let (before, behind) = pattern.split_once('*')?;
        let star = key.strip_prefix(before)?.strip_suffix(behind)?;
        Some((before.len(), star, value))
    });
    let (_, star, value) = patterns.max_by_key(|(length, ..)| *length)?;
    Some(chosen(value, asked)?.replace('*', star))
}

/// Takes the first of the variants whose condition holds.
fn chosen(value: &Value, asked: Asked) -> Option<String> {
    match value {
        Value::String(target) => Some(target.clone()),
        Value::Array(targets) => targets.iter().find_map(|target| chosen(target, asked)),
        Value::Object(variants) => {
            let mut holding = variants
                .iter()
                .filter(|(condition, _)| asked.holds(condition));
            holding.find_map(|(_, target)| chosen(target, asked))
        }
        _ => None,
    }
}
