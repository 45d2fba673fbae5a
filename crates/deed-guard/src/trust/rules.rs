use std::path::{Path, PathBuf};

use deed_schema::Sha256Hash;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::file::{self, TrustError};

/// A rule that a person stored with "always".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredRule {
    /// The name to revoke it by.
    pub id: String,
    /// What it says, to the letter.
    pub spec: String,
    /// The working folder that it was given in, and the only one that it holds in.
    pub workspace: PathBuf,
    /// When, as RFC 3339.
    pub created_at: String,
    /// The approval that made it.
    pub approval_id: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    rules: Vec<StoredRule>,
}

/// The store of rules that a person stored with "always".
#[derive(Debug)]
pub struct StoredRules {
    path: PathBuf,
    content: Content,
}

const ID_CHARS: usize = 12;

impl StoredRules {
    /// Reads the store; a file that is not there is an empty one.
    ///
    /// Errors: a file that cannot be read or is damaged.
    pub fn load(path: impl Into<PathBuf>) -> Result<Self, TrustError> {
        let path = path.into();
        let content = file::load(&path)?.unwrap_or_default();
        Ok(Self { path, content })
    }

    /// Stores a rule for a workspace; one with the same text for it stays as it is.
    ///
    /// Errors: a store that cannot be replaced.
    pub fn add(
        &mut self,
        spec: &str,
        workspace: &Path,
        approval_id: &str,
        now: Timestamp,
    ) -> Result<StoredRule, TrustError> {
        let whole = [spec.as_bytes(), workspace.as_os_str().as_encoded_bytes()].join(&0);
        let hash = Sha256Hash::of(&whole).to_string();
        let rule = StoredRule {
            id: hash.chars().take(ID_CHARS).collect(),
            spec: spec.to_owned(),
            workspace: workspace.to_owned(),
            created_at: now.to_string(),
            approval_id: approval_id.to_owned(),
        };
        self.update(|content| {
            let mut rules = content.rules.iter();
            if let Some(same) = rules.find(|other| other.id == rule.id) {
                return same.clone();
            }
            content.rules.push(rule.clone());
            rule
        })
    }

    /// Takes a rule back; tells whether it was there.
    ///
    /// Errors: a store that cannot be replaced.
    pub fn revoke(&mut self, id: &str) -> Result<bool, TrustError> {
        self.update(|content| {
            let before = content.rules.len();
            content.rules.retain(|rule| rule.id != id);
            content.rules.len() < before
        })
    }

    /// Returns all rules, the oldest first.
    pub fn list(&self) -> &[StoredRule] {
        &self.content.rules
    }

    /// Returns what the rules say that hold in a workspace.
    pub fn specs_in(&self, workspace: &Path) -> impl Iterator<Item = &str> {
        let rules = self.content.rules.iter();
        let own = rules.filter(move |rule| rule.workspace == workspace);
        own.map(|rule| rule.spec.as_str())
    }

    fn update<R>(&mut self, change: impl FnOnce(&mut Content) -> R) -> Result<R, TrustError> {
        let (content, result) = file::update(&self.path, |content| Ok(change(content)))?;
        self.content = content;
        Ok(result)
    }
}
