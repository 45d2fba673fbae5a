use std::path::{Path, PathBuf};

use deed_schema::Sha256Hash;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::file::{self, TrustError};
use crate::policy::ExtensionGrants;

/// What kind of thing a person trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustKind {
    /// A project's policy file.
    Policy,
    /// An extension.
    Extension,
    /// A project: a folder whose settings, skills, prompts and extensions are loaded.
    Project,
}

/// What a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustEntry {
    /// What kind of thing it is.
    pub kind: TrustKind,
    /// The real path of it; of a refusal, also of a folder with all below it.
    pub path: PathBuf,
    /// The content that is trusted; absent for a refusal, which holds for any content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Sha256Hash>,
    /// Whether a folder is trusted with all below it, whatever the content.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// What an extension was granted with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<ExtensionGrants>,
    /// When, as RFC 3339.
    pub decided_at: String,
}

impl TrustEntry {
    /// Tells whether nothing of it is ever trusted.
    pub fn is_refusal(&self) -> bool {
        self.sha256.is_none() && !self.whole
    }
}

/// How a person stands to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Exactly this content is trusted.
    Trusted,
    /// The path is refused, whatever its content.
    Refused,
    /// Nobody decided on this content.
    Undecided,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    entries: Vec<TrustEntry>,
}

/// The store of what a person trusts.
#[derive(Debug)]
pub struct TrustStore {
    path: PathBuf,
    content: Content,
}

impl TrustStore {
    /// Reads the store; a file that is not there is an empty one.
    ///
    /// Errors: a file that cannot be read or is damaged.
    pub fn load(path: impl Into<PathBuf>) -> Result<Self, TrustError> {
        let path = path.into();
        let content = file::load(&path)?.unwrap_or_default();
        Ok(Self { path, content })
    }

    /// Returns how the person stands to a file with this content; a refusal wins.
    pub fn standing(&self, kind: TrustKind, path: &Path, content: &[u8]) -> Standing {
        if self.content.refusal(kind, path).is_some() {
            return Standing::Refused;
        }
        let sha256 = Sha256Hash::of(content);
        let is_trusted =
            self.content.entries.iter().any(|entry| {
                entry.kind == kind && entry.path == path && entry.sha256 == Some(sha256)
            });
        match is_trusted {
            true => Standing::Trusted,
            false => Standing::Undecided,
        }
    }

    /// Tells whether exactly this content is trusted.
    pub fn is_trusted(&self, kind: TrustKind, path: &Path, content: &[u8]) -> bool {
        self.standing(kind, path, content) == Standing::Trusted
    }

    /// Trusts exactly this content, in place of what was trusted under the path before.
    ///
    /// Errors: a stored refusal, which must be revoked first; a store that cannot be replaced.
    pub fn trust(
        &mut self,
        kind: TrustKind,
        path: &Path,
        content: &[u8],
        now: Timestamp,
    ) -> Result<(), TrustError> {
        self.trust_as(TrustEntry {
            kind,
            path: path.to_owned(),
            sha256: Some(Sha256Hash::of(content)),
            whole: false,
            grants: None,
            decided_at: now.to_string(),
        })
    }

    /// Trusts exactly these contents of an extension's files, in place of what was trusted under
    /// their paths before; the first file is the extension itself, and is granted something.
    ///
    /// Errors: as [`TrustStore::trust`], and nothing is stored.
    pub fn trust_extension(
        &mut self,
        files: &[(PathBuf, Sha256Hash)],
        grants: &ExtensionGrants,
        now: Timestamp,
    ) -> Result<(), TrustError> {
        let entry = |(at, (path, sha256)): (usize, &(PathBuf, Sha256Hash))| TrustEntry {
            kind: TrustKind::Extension,
            path: path.clone(),
            sha256: Some(*sha256),
            whole: false,
            grants: (at == 0).then(|| grants.clone()),
            decided_at: now.to_string(),
        };
        let entries: Vec<TrustEntry> = files.iter().enumerate().map(entry).collect();
        self.update(|content| {
            for entry in &entries {
                content.ensure_not_refused(entry)?;
            }
            for entry in entries {
                // A file that is part of two extensions may be one of them, and keeps its grants.
                if entry.grants.is_some() || !content.has(&entry) {
                    content.put(entry);
                }
            }
            Ok(())
        })
    }

    /// Returns what an extension was granted when a person trusted its present content.
    pub fn granted(&self, path: &Path) -> Option<&ExtensionGrants> {
        let mut entries = self.content.entries.iter();
        let entry = entries.find(|it| it.kind == TrustKind::Extension && it.path == path);
        entry.and_then(|entry| entry.grants.as_ref())
    }

    fn trust_as(&mut self, entry: TrustEntry) -> Result<(), TrustError> {
        self.update(|content| {
            content.ensure_not_refused(&entry)?;
            content.put(entry);
            Ok(())
        })
    }

    /// Returns what was decided on a folder as a whole: a refusal of it or of a folder above it, else
    /// the nearest of those that are trusted.
    pub fn decision_on_folder(&self, kind: TrustKind, folder: &Path) -> Option<&TrustEntry> {
        let refusal = self.content.refusal(kind, folder);
        refusal.or_else(|| {
            let above = self.content.entries.iter().filter(|entry| {
                entry.kind == kind && entry.whole && folder.starts_with(&entry.path)
            });
            above.max_by_key(|entry| entry.path.components().count())
        })
    }

    /// Trusts a folder with all below it, whatever the content.
    ///
    /// Errors: as [`TrustStore::trust`].
    pub fn trust_folder(
        &mut self,
        kind: TrustKind,
        folder: &Path,
        now: Timestamp,
    ) -> Result<(), TrustError> {
        self.trust_as(TrustEntry {
            kind,
            path: folder.to_owned(),
            sha256: None,
            whole: true,
            grants: None,
            decided_at: now.to_string(),
        })
    }

    /// Refuses a file, or all files below a folder, whatever their content.
    ///
    /// Errors: a store that cannot be replaced.
    pub fn refuse(
        &mut self,
        kind: TrustKind,
        path: &Path,
        now: Timestamp,
    ) -> Result<(), TrustError> {
        let entry = TrustEntry {
            kind,
            path: path.to_owned(),
            sha256: None,
            whole: false,
            grants: None,
            decided_at: now.to_string(),
        };
        self.update(|content| {
            content.put(entry);
            Ok(())
        })
    }

    /// Takes back whatever was decided on a path; tells whether anything was.
    ///
    /// Errors: a store that cannot be replaced.
    pub fn revoke(&mut self, path: &Path) -> Result<bool, TrustError> {
        self.update(|content| {
            let before = content.entries.len();
            content.entries.retain(|entry| entry.path != path);
            Ok(content.entries.len() < before)
        })
    }

    /// Returns all that was decided.
    pub fn list(&self) -> &[TrustEntry] {
        &self.content.entries
    }

    fn update<R>(
        &mut self,
        change: impl FnOnce(&mut Content) -> Result<R, TrustError>,
    ) -> Result<R, TrustError> {
        let (content, result) = file::update(&self.path, change)?;
        self.content = content;
        Ok(result)
    }
}

impl Content {
    fn refusal(&self, kind: TrustKind, path: &Path) -> Option<&TrustEntry> {
        // Who trusts no file below a folder trusts no project there either.
        let covers = |own: TrustKind| own == kind || kind == TrustKind::Project;
        self.entries
            .iter()
            .find(|entry| covers(entry.kind) && entry.is_refusal() && path.starts_with(&entry.path))
    }

    fn ensure_not_refused(&self, entry: &TrustEntry) -> Result<(), TrustError> {
        match self.refusal(entry.kind, &entry.path) {
            Some(refusal) => Err(TrustError::Refused {
                path: entry.path.clone(),
                refused: refusal.path.clone(),
            }),
            None => Ok(()),
        }
    }

    fn has(&self, entry: &TrustEntry) -> bool {
        self.entries
            .iter()
            .any(|own| (own.kind, &own.path, own.sha256) == (entry.kind, &entry.path, entry.sha256))
    }

    fn put(&mut self, entry: TrustEntry) {
        self.entries
            .retain(|other| (other.kind, &other.path) != (entry.kind, &entry.path));
        self.entries.push(entry);
    }
}
