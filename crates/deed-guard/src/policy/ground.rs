use std::path::{Component, Path, PathBuf};

/// Where rules stand: the folders that `./` and `~/` mean, and the places that Deed itself guards.
///
/// Shape: all paths are absolute and real (links followed).
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// The folders of the workspace; the first is the working folder.
    pub workspace: Vec<PathBuf>,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// Files and folders that no call may write: policy files, stored rules, trust, audit.
    ///
    /// Words of a command are looked for here as they are typed, so a place that is reached by a
    /// link belongs here under that name too.
    pub protected: Vec<PathBuf>,
    /// Folders that every call may read: the saved output of this session.
    pub always_readable: Vec<PathBuf>,
    /// Files and folders of skills, which every call may read too.
    pub skills: Vec<PathBuf>,
}

/// Folders inside a workspace that steer programs, so that a write there is more than an edit.
const STEERING_FOLDERS: [&str; 2] = [".git", ".deed"];

impl Ground {
    /// Makes a typed path absolute without looking at the file system.
    pub(crate) fn absolute(&self, typed: &str, folder: &Path) -> PathBuf {
        let from_home = match typed.strip_prefix('~') {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix('/'),
            None => None,
        };
        match (from_home, &self.home) {
            (Some(rest), Some(home)) => clean(&home.join(rest)),
            _ => clean(&folder.join(typed)),
        }
    }

    pub(crate) fn working_folder(&self) -> &Path {
        self.workspace
            .first()
            .map_or(Path::new("/"), PathBuf::as_path)
    }

    pub(crate) fn is_in_workspace(&self, path: &Path) -> bool {
        is_below_any(path, &self.workspace)
    }

    pub(crate) fn is_protected(&self, path: &Path) -> bool {
        is_below_any(path, &self.protected)
    }

    /// Tells whether a folder is the home of something protected, and of nothing else that matters.
    pub(crate) fn is_around_protected(&self, path: &Path) -> bool {
        let mut own = self.workspace.iter().chain(&self.home);
        let mut protected = self.protected.iter();
        protected.any(|inside| inside.parent() == Some(path))
            && !own.any(|own| own.starts_with(path))
    }

    pub(crate) fn is_of_a_skill(&self, path: &Path) -> bool {
        is_below_any(path, &self.skills)
    }

    pub(crate) fn is_always_readable(&self, path: &Path) -> bool {
        is_below_any(path, &self.always_readable)
    }

    /// Tells whether a write steers `git` or Deed.
    pub(crate) fn is_steering(&self, path: &Path) -> bool {
        self.workspace
            .iter()
            .filter_map(|folder| path.strip_prefix(folder).ok())
            .any(|inside| {
                inside.components().any(|part| {
                    let part = part.as_os_str();
                    STEERING_FOLDERS
                        .iter()
                        .any(|name| part.eq_ignore_ascii_case(name))
                })
            })
    }
}

fn is_below_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Takes `.` and `..` out of an absolute path by its words alone.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                cleaned.pop();
            }
            part => cleaned.push(part),
        }
    }
    cleaned
}
