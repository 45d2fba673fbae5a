//! Which files are extensions of a session, and whose they are.
//!
//! In the order in which they are loaded: those that the command line names, those that a project's
//! settings name, those in its folders, those of the user's settings, those in the user's folders. A
//! file counts once. A folder is one extension if it says so (`package.json` with `pi.extensions`,
//! or an `index`); otherwise it is a folder of extensions, looked into one level deep.

mod manifest;

use std::fmt;
use std::path::{Path, PathBuf};

use deed_protocol::{SourceInfo, SourceOrigin, SourceScope};

use crate::real;

/// Endings of files that are extensions.
const ENDINGS: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];
/// Names of the file that a folder is loaded by.
const INDEXES: [&str; 2] = ["index.ts", "index.js"];

/// Where extensions are looked for.
///
/// Shape: all paths are absolute. Folders that are not there hold nothing.
#[derive(Clone, Debug, Default)]
pub struct ExtensionPlaces {
    /// Files and folders that the command line names.
    pub named: Vec<PathBuf>,
    /// Whether anything but those is looked for.
    pub discovers: bool,
    /// Whether what the project brings counts.
    pub project_is_trusted: bool,
    /// Files and folders that the project's settings name.
    pub project_paths: Vec<PathBuf>,
    /// The project's folders of extensions.
    pub project_folders: Vec<PathBuf>,
    /// Files and folders that the user's settings name.
    pub user_paths: Vec<PathBuf>,
    /// The user's folders of extensions.
    pub user_folders: Vec<PathBuf>,
}

/// Who brought an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroughtBy {
    /// The command line of this run.
    CommandLine,
    /// The project.
    Project,
    /// The user.
    User,
}

/// A file that is an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionFile {
    /// Its real path.
    pub path: PathBuf,
    /// Who brought it.
    pub by: BroughtBy,
}

/// What extensions there are, and what is wrong with places that were named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundExtensions {
    /// The extensions, in the order in which they are loaded.
    pub files: Vec<ExtensionFile>,
    /// What was named and is no extension; a text names the place and says why.
    pub problems: Vec<String>,
}

impl fmt::Display for BroughtBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CommandLine => "the command line",
            Self::Project => "this project",
            Self::User => "your own folder or settings",
        })
    }
}

impl ExtensionFile {
    /// Returns the extension's name: that of its file, or of the folder whose index it is.
    pub fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        let folder = self.path.parent().and_then(Path::file_name);
        let name = folder.filter(|_| stem == "index").unwrap_or(stem);
        name.to_string_lossy().into_owned()
    }

    /// Returns where its tools and commands come from.
    pub fn source(&self) -> SourceInfo {
        let (source, scope) = match self.by {
            BroughtBy::CommandLine => ("cli", SourceScope::Temporary),
            BroughtBy::Project => ("local", SourceScope::Project),
            BroughtBy::User => ("local", SourceScope::User),
        };
        let folder = self.path.parent();
        SourceInfo {
            path: self.path.to_string_lossy().into(),
            source: source.into(),
            scope,
            origin: SourceOrigin::TopLevel,
            base_dir: folder.map(|folder| folder.to_string_lossy().into()),
        }
    }
}

impl FoundExtensions {
    /// Looks for extensions.
    ///
    /// Blocks on the file system.
    pub fn find(places: &ExtensionPlaces) -> Self {
        let mut found = Self::default();
        found.add_named(&places.named, BroughtBy::CommandLine);
        if !places.discovers {
            return found;
        }
        if places.project_is_trusted {
            found.add_named(&places.project_paths, BroughtBy::Project);
            found.add_folders(&places.project_folders, BroughtBy::Project);
        }
        found.add_named(&places.user_paths, BroughtBy::User);
        found.add_folders(&places.user_folders, BroughtBy::User);
        found
    }

    /// Takes files and folders that somebody named: what is not there is a problem.
    fn add_named(&mut self, paths: &[PathBuf], by: BroughtBy) {
        for path in paths {
            let before = self.files.len() + self.problems.len();
            if path.is_file() {
                self.add(path, by);
                continue;
            }
            if !path.is_dir() {
                let problem = format!("{}: there is no such extension", path.display());
                self.problems.push(problem);
                continue;
            }
            if !self.add_as_one(path, by) {
                self.add_inside(path, by);
            }
            if self.files.len() + self.problems.len() == before && !self.has_below(path) {
                let problem = format!(
                    "{}: there is no extension in this folder; one is a `.ts` or `.js` file, or a \
                     folder with an `index.ts`",
                    path.display()
                );
                self.problems.push(problem);
            }
        }
    }

    fn add_folders(&mut self, folders: &[PathBuf], by: BroughtBy) {
        for folder in folders {
            self.add_inside(folder, by);
        }
    }

    /// Takes what lies in a folder of extensions, by name.
    fn add_inside(&mut self, folder: &Path, by: BroughtBy) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| !is_hidden(path)) {
            if path.is_dir() {
                self.add_as_one(path, by);
            } else if is_script(path) {
                self.add(path, by);
            }
        }
    }

    /// Takes a folder that is an extension, or a package of some; tells whether it is one.
    fn add_as_one(&mut self, folder: &Path, by: BroughtBy) -> bool {
        match manifest::extensions_of(folder) {
            Ok(Some(paths)) => self.add_named(&paths, by),
            Ok(None) => {
                let mut indexes = INDEXES.iter().map(|name| folder.join(name));
                match indexes.find(|index| index.is_file()) {
                    Some(index) => self.add(&index, by),
                    None => return false,
                }
            }
            Err(problem) => self.problems.push(problem),
        }
        true
    }

    fn add(&mut self, path: &Path, by: BroughtBy) {
        let path = real(path);
        if !self.files.iter().any(|file| file.path == path) {
            self.files.push(ExtensionFile { path, by });
        }
    }

    fn has_below(&self, folder: &Path) -> bool {
        let folder = real(folder);
        self.files.iter().any(|file| file.path.starts_with(&folder))
    }
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "node_modules"
}

/// Tells whether a file is a script; declarations of types are none.
fn is_script(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_declaration = [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| name.ends_with(end));
    let ending = path.extension().and_then(|ending| ending.to_str());
    !is_declaration && path.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending))
}
