//! Paths in settings: where they start and where they may lead.

use std::path::{Component, Path, PathBuf};

use crate::real;

/// What the paths of a file are understood by.
#[derive(Clone, Debug)]
pub(crate) struct PathGround {
    /// The folder that relative paths start from.
    pub(crate) base: PathBuf,
    /// The home folder, for `~/`.
    pub(crate) home: Option<PathBuf>,
    /// The folder that paths must not lead out of.
    pub(crate) bounds: Option<PathBuf>,
}

/// What is wrong with a path, and what to do.
pub(crate) type PathFault = String;

impl PathGround {
    /// Makes a path absolute, without `.` and `..`.
    pub(crate) fn absolute(&self, written: &str) -> Result<String, PathFault> {
        if written.is_empty() {
            return Err("an empty path leads nowhere; take it out".to_owned());
        }
        if written.contains('\0') {
            return Err("a path holds no NUL; take it out".to_owned());
        }
        let path = match in_home(written) {
            None => self.base.join(written),
            Some(rest) => {
                let unknown = || {
                    "the home folder is not known, so `~` leads nowhere; write the path out"
                        .to_owned()
                };
                self.home.as_ref().ok_or_else(unknown)?.join(rest)
            }
        };
        let path = without_dots(&path);
        match path.into_os_string().into_string() {
            Ok(path) => Ok(path),
            Err(_) => Err(
                "the folder of this file has a name that is no text; write an \
                           absolute path"
                    .to_owned(),
            ),
        }
    }

    /// Tells whether a path leads out of the folder that it must stay in.
    pub(crate) fn leads_out(&self, path: &str) -> bool {
        let Some(bounds) = &self.bounds else {
            return false;
        };
        let path = Path::new(path);
        !path.starts_with(bounds) || !real(path).starts_with(real(bounds))
    }

    /// As [`PathGround::absolute`], for a program: a bare name stays one.
    pub(crate) fn program(&self, written: &str) -> Result<String, PathFault> {
        if written.contains('/') || written == "~" {
            return self.absolute(written);
        }
        Ok(written.to_owned())
    }
}

fn in_home(written: &str) -> Option<&str> {
    if written == "~" {
        return Some("");
    }
    written.strip_prefix("~/")
}

/// Goes the dots of a path, without looking at the disk.
fn without_dots(path: &Path) -> PathBuf {
    let mut gone = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                // Above the root is the root.
                gone.pop();
            }
            other => gone.push(other),
        }
    }
    gone
}
