use std::fmt;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::SourceInfo;

use crate::{ExtensionContext, ExtensionError};

pub(crate) type ShortcutHandler = Arc<
    dyn for<'a> Fn(&'a ExtensionContext) -> BoxFuture<'a, Result<(), ExtensionError>> + Send + Sync,
>;

/// A key of one extension.
#[derive(Clone)]
pub(crate) struct Shortcut {
    /// In lower case.
    pub(crate) key: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) handler: ShortcutHandler,
}

impl fmt::Debug for Shortcut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shortcut").field(&self.key).finish()
    }
}

/// What may be known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortcutInfo {
    /// The key, in lower case, such as `ctrl+shift+p`.
    pub key: Arc<str>,
    /// What it does, for people.
    pub description: Arc<str>,
    /// Where it comes from.
    pub source: Arc<SourceInfo>,
}
