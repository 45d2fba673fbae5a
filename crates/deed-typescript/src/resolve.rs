//! Which file or built-in module a specifier means.

mod package;

use std::path::{Component, Path, PathBuf};

use crate::modules;

pub(crate) use package::nearest_type;

/// What a specifier means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A built-in module, by its identity.
    BuiltIn(String),
    /// A file, by its real path.
    File(PathBuf),
}

/// How something is asked for, which decides between the variants that a package has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Import,
    Require,
}

/// Why a specifier means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResolveError {
    #[error("module '{specifier}' isn't supported by this host (deed {})", env!("CARGO_PKG_VERSION"))]
    Unsupported { specifier: String },
    #[error("cannot find '{specifier}', imported from {from}")]
    NoFile { specifier: String, from: PathBuf },
    #[error(
        "cannot find package '{name}', imported from {from}: there is no node_modules/{name} in {} or a folder above; install it there",
        folder.display()
    )]
    NoPackage {
        name: String,
        from: PathBuf,
        folder: PathBuf,
    },
    #[error("package '{name}' has no '{subpath}' ({})", folder.display())]
    NotExported {
        name: String,
        subpath: String,
        folder: PathBuf,
    },
    #[error("{} is a native addon, which isn't supported by this host", path.display())]
    Native { path: PathBuf },
}

/// What is tried behind a path without one of these, in this order.
const EXTENSIONS: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "mjs", "cjs", "jsx", "json"];
/// TypeScript is imported under the name of what becomes of it.
const WRITTEN_AS: [(&str, &[&str]); 4] = [
    ("js", &["ts", "tsx"]),
    ("mjs", &["mts"]),
    ("cjs", &["cts"]),
    ("jsx", &["tsx"]),
];

/// Finds what a specifier in a file means.
///
/// Errors: nothing; the text names the specifier and where it was looked for.
pub(crate) fn resolve(specifier: &str, from: &Path, asked: Asked) -> Result<Target, ResolveError> {
    if let Some(identity) = modules::identity(specifier) {
        return Ok(Target::BuiltIn(identity));
    }
    let folder = from.parent().unwrap_or(Path::new("/"));
    let missing = || ResolveError::NoFile {
        specifier: specifier.to_owned(),
        from: from.to_owned(),
    };
    let path = if let Some(url) = specifier.strip_prefix("file://") {
        Some(PathBuf::from(percent_decoded(url)))
    } else if is_path(specifier) {
        Some(folder.join(specifier))
    } else {
        None
    };
    if let Some(path) = path {
        return finish(file_or_folder(&path, asked).ok_or_else(missing)?);
    }
    if let Some(name) = specifier.strip_prefix('#') {
        let found = package::imported(folder, name, asked).ok_or_else(missing)?;
        return match found {
            package::Imported::File(path) => {
                finish(file_or_folder(&path, asked).ok_or_else(missing)?)
            }
            package::Imported::Specifier(other) => resolve(&other, from, asked),
        };
    }
    match package::find(specifier, folder, asked) {
        Ok(path) => finish(path),
        Err(ResolveError::NoPackage { .. }) if modules::is_node(specifier) => {
            let specifier = specifier.to_owned();
            Err(ResolveError::Unsupported { specifier })
        }
        Err(ResolveError::NoPackage { name, folder, .. }) => Err(ResolveError::NoPackage {
            name,
            folder,
            from: from.to_owned(),
        }),
        Err(error) => Err(error),
    }
}

fn is_path(specifier: &str) -> bool {
    ["/", "./", "../"]
        .iter()
        .any(|start| specifier.starts_with(start))
        || [".", ".."].contains(&specifier)
}

fn finish(path: PathBuf) -> Result<Target, ResolveError> {
    // One file is one module, whatever links lead to it.
    let path = path.canonicalize().unwrap_or_else(|_| without_dots(&path));
    if path
        .extension()
        .is_some_and(|extension| extension == "node")
    {
        return Err(ResolveError::Native { path });
    }
    Ok(Target::File(path))
}

/// Finds the file that a path means: as it stands, with an extension, or the index of a folder.
pub(crate) fn file_or_folder(path: &Path, asked: Asked) -> Option<PathBuf> {
    file(path).or_else(|| {
        if !path.is_dir() {
            return None;
        }
        let main =
            package::main_of(path, asked).and_then(|main| file(&main).or_else(|| index(&main)));
        main.or_else(|| index(path))
    })
}

fn index(folder: &Path) -> Option<PathBuf> {
    file(&folder.join("index"))
}

fn file(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let name = path.file_name()?.to_str()?;
    if let Some((stem, written)) = name.rsplit_once('.') {
        let row = WRITTEN_AS
            .iter()
            .find(|(extension, _)| *extension == written);
        let meant = row
            .into_iter()
            .flat_map(|(_, extensions)| extensions.iter());
        let mut meant = meant.map(|extension| path.with_file_name(format!("{stem}.{extension}")));
        if let Some(found) = meant.find(|path| path.is_file()) {
            return Some(found);
        }
    }
    let mut with = EXTENSIONS
        .iter()
        .map(|extension| path.with_file_name(format!("{name}.{extension}")));
    with.find(|path| path.is_file())
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn percent_decoded(url: &str) -> String {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() {
            behind.get(2..).unwrap_or_default()
        } else {
            behind
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
