use std::path::{Path, PathBuf};

use globset::{Glob, GlobBuilder};

use super::ground::Ground;

/// A pattern for paths.
///
/// Shape: `*` and `?` stay within a name, `**` spans folders, `{a,b}` and `[ab]` choose. `./` (or
/// nothing) in front means each folder of the workspace, `~/` the home folder, `/` the root, `**/`
/// anywhere. `dir/**` and `dir/` are the folder with all that lies in it.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// What it covers for certain; for allowing.
    pub(crate) strict: Vec<Glob>,
    /// The same and all that lies below; for denying and asking.
    pub(crate) greedy: Vec<Glob>,
    reaches: Vec<Reach>,
}

/// How far down a pattern says where it stands.
#[derive(Clone, Debug)]
struct Reach {
    base: PathBuf,
    has_wildcards: bool,
}

/// A path pattern that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PathPatternError {
    #[error("`~` stands for the home folder, which is not known here; write the whole path")]
    NoHome,
    #[error("`{folder}` has a name that no rule can spell; start in a folder with a UTF-8 name")]
    FolderName { folder: String },
    #[error("`{part}` in a path leads nowhere for a rule; write the path that is meant")]
    Detour { part: String },
    #[error("{reason}; put a backslash before a character that stands for itself")]
    Glob { reason: String },
}

impl PathPattern {
    pub(crate) fn parse(text: &str, ground: &Ground) -> Result<Self, PathPatternError> {
        let mut pattern = Self {
            strict: Vec::new(),
            greedy: Vec::new(),
            reaches: Vec::new(),
        };
        let whole_folder;
        let text = match text.ends_with('/') {
            true => {
                whole_folder = format!("{text}**");
                &whole_folder
            }
            false => text,
        };
        if text == "**" || text.starts_with("**/") {
            pattern.add(Path::new("/"), text, "")?;
        } else if let Some(rest) = text.strip_prefix('/') {
            pattern.add(Path::new("/"), rest, "/")?;
        } else if let Some(rest) = after_home(text) {
            let home = ground.home.as_deref().ok_or(PathPatternError::NoHome)?;
            pattern.add(home, rest, &escaped_folder(home)?)?;
        } else {
            let rest = match text {
                "." => "",
                text => text.strip_prefix("./").unwrap_or(text),
            };
            for folder in &ground.workspace {
                pattern.add(folder, rest, &escaped_folder(folder)?)?;
            }
        }
        Ok(pattern)
    }

    /// Tells whether something below a folder may match.
    pub(crate) fn may_match_below(&self, folder: &Path) -> bool {
        self.reaches.iter().any(|reach| {
            reach.base.starts_with(folder) || reach.has_wildcards && folder.starts_with(&reach.base)
        })
    }

    fn add(&mut self, folder: &Path, rest: &str, prefix: &str) -> Result<(), PathPatternError> {
        let (inner, is_deep) = match rest.strip_suffix("/**") {
            Some(inner) => (inner, true),
            None if rest == "**" => ("", true),
            None => (rest, false),
        };
        refuse_detours(inner)?;
        let base = match (prefix.trim_end_matches('/'), inner) {
            ("", "") => "/".to_owned(),
            ("", inner) if prefix.is_empty() => inner.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, inner) => format!("{prefix}/{inner}"),
        };
        let below = format!("{}/**", base.trim_end_matches('/'));
        let (own, below) = (glob(&base)?, glob(&below)?);
        self.strict.push(own.clone());
        if is_deep {
            self.strict.push(below.clone());
        }
        self.greedy.extend([own, below]);
        let literal: PathBuf = inner
            .split('/')
            .take_while(|name| !has_wildcards(name))
            .collect();
        self.reaches.push(Reach {
            base: folder.join(literal),
            has_wildcards: is_deep || has_wildcards(inner),
        });
        Ok(())
    }
}

/// Writes a path so that, as a pattern, it stands for itself.
pub(crate) fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len() + 4);
    for c in path.chars() {
        if "\\*?[]{}!".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn after_home(text: &str) -> Option<&str> {
    match text {
        "~" => Some(""),
        text => text.strip_prefix("~/"),
    }
}

fn escaped_folder(folder: &Path) -> Result<String, PathPatternError> {
    let text = folder
        .to_str()
        .ok_or_else(|| PathPatternError::FolderName {
            folder: folder.display().to_string(),
        })?;
    Ok(format!("{}/", escape(text).trim_end_matches('/')))
}

fn has_wildcards(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\'])
}

fn refuse_detours(inner: &str) -> Result<(), PathPatternError> {
    let detour = inner
        .split('/')
        .find(|part| matches!(*part, "." | "..") || part.is_empty() && !inner.is_empty());
    match detour {
        Some("") => Err(PathPatternError::Detour { part: "//".into() }),
        Some(part) => Err(PathPatternError::Detour { part: part.into() }),
        None => Ok(()),
    }
}

fn glob(text: &str) -> Result<Glob, PathPatternError> {
    GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| PathPatternError::Glob {
            reason: error.kind().to_string(),
        })
}
