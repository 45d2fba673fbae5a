use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Says where a tool or an extension comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// A file, or a made-up place such as `builtin:read`.
    pub path: Arc<str>,
    /// The kind of place: `builtin`, `sdk`, `inline`, `cli`, `local` or a package.
    pub source: Arc<str>,
    /// Whose setting brought it.
    pub scope: SourceScope,
    /// Whether a package brought it.
    pub origin: SourceOrigin,
    /// The folder that relative paths of it start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dir: Option<Arc<str>>,
}

impl SourceInfo {
    /// Describes a tool that Deed ships.
    pub fn builtin(name: &str) -> Self {
        Self::made_up(format!("builtin:{name}"), "builtin")
    }

    /// Describes a tool that a host program hands in.
    pub fn sdk(name: &str) -> Self {
        Self::made_up(format!("<sdk:{name}>"), "sdk")
    }

    fn made_up(path: String, source: &str) -> Self {
        Self {
            path: path.into(),
            source: source.into(),
            scope: SourceScope::Temporary,
            origin: SourceOrigin::TopLevel,
            base_dir: None,
        }
    }
}

/// Whose setting brought something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceScope {
    /// The user's.
    User,
    /// The project's.
    Project,
    /// This run's.
    Temporary,
}

/// Whether a package brought something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceOrigin {
    /// A package.
    Package,
    /// No package.
    TopLevel,
}
