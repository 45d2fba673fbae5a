//! What extensions may do outside of their engines.
//!
//! A policy file names extensions by name, by a path pattern, or all by `*`; of one file the most
//! exact entry counts. Every file can only narrow what the others grant. Where no file speaks, what
//! a person granted when the extension was first loaded counts.

mod grants;
mod permit;
mod read;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Policy;
use super::ground::Ground;
use super::path::{PathPattern, PathPatternError};

pub use grants::{ExtensionGrants, Extent, FileGrants};
pub use permit::{ExtensionAct, ExtensionPermit};
pub(crate) use read::read_extensions;

use permit::Rights;

/// What one policy file says of one or several extensions.
#[derive(Clone, Debug)]
pub(crate) struct ExtensionEntry {
    /// The extensions that are meant, as written.
    pub(crate) key: String,
    who: Who,
    pub(crate) grants: ExtensionGrants,
    rights: Arc<Rights>,
}

/// Which extensions an entry means, from the least exact.
#[derive(Clone, Debug)]
enum Who {
    All,
    Name(String),
    Path(globset::GlobSet),
}

impl ExtensionEntry {
    pub(crate) fn new(
        key: &str,
        grants: ExtensionGrants,
        ground: &Ground,
    ) -> Result<Self, PathPatternError> {
        let who = match key {
            "*" => Who::All,
            name if !name.contains('/') => Who::Name(name.to_owned()),
            path => Who::Path(permit::glob_set(&PathPattern::parse(path, ground)?.strict)?),
        };
        Ok(Self {
            key: key.to_owned(),
            who,
            rights: Arc::new(Rights::new(&grants, ground)?),
            grants,
        })
    }

    /// Tells how exactly an extension is meant; `None` if it is not.
    fn exactness(&self, name: &str, path: &Path) -> Option<u8> {
        match &self.who {
            Who::All => Some(0),
            Who::Name(own) => (own == name).then_some(1),
            Who::Path(globs) => globs.is_match(path).then_some(2),
        }
    }
}

/// What one file says of extensions.
#[derive(Clone, Debug)]
pub(crate) struct ExtensionSection {
    /// Whether the file counts in full; otherwise it only narrows.
    pub(crate) grants: bool,
    pub(crate) entries: Vec<ExtensionEntry>,
}

impl ExtensionSection {
    fn of(&self, name: &str, path: &Path) -> Option<&ExtensionEntry> {
        let meant = self.entries.iter();
        let meant = meant.filter_map(|entry| Some((entry.exactness(name, path)?, entry)));
        meant.max_by_key(|(exactness, _)| *exactness).map(|it| it.1)
    }

    pub(crate) fn to_json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let grants = serde_json::to_value(&entry.grants).unwrap_or_default();
            (entry.key.clone(), grants)
        });
        let entries: Map<String, Value> = entries.collect();
        serde_json::json!({ "grants": self.grants, "entries": entries })
    }
}

impl Policy {
    /// Tells whether a file grants something to an extension, be it nothing, so that nobody needs
    /// to be asked what it may do.
    ///
    /// Shape: `name` is the file's name without its ending, or that of its folder; `path` is real.
    pub fn speaks_of_extension(&self, name: &str, path: &Path) -> bool {
        let sections = self.0.extensions.iter();
        let mut counting = sections.filter(|section| section.grants);
        counting.any(|section| section.of(name, path).is_some())
    }

    /// Returns what an extension may do; `stored` is what a person granted to it, which counts where
    /// no file grants.
    ///
    /// Errors: a pattern of `stored` that cannot be read.
    pub fn permit_extension(
        &self,
        (name, path): (&str, &Path),
        stored: &ExtensionGrants,
    ) -> Result<ExtensionPermit, String> {
        let sections = self.0.extensions.iter();
        let entries = sections.filter_map(|section| section.of(name, path));
        let mut all: Vec<Arc<Rights>> = entries.map(|entry| entry.rights.clone()).collect();
        if !self.speaks_of_extension(name, path) {
            let rights = Rights::new(stored, &self.0.ground);
            all.push(Arc::new(rights.map_err(|error| error.to_string())?));
        }
        Ok(ExtensionPermit::new(self.clone(), name, path, all))
    }
}
