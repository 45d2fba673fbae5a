use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::finding::Position;
use super::key::SettingKey;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The user's.
    User,
    /// The project's.
    Project,
}

/// Where a value comes from.
///
/// Shape: shown as `file:line`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// Whose file it is.
    pub layer: Layer,
    /// The file.
    pub file: Arc<str>,
    /// Where in it.
    #[serde(flatten)]
    pub position: Position,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.position.line_1based)
    }
}

/// What holds of a setting.
#[derive(Clone)]
pub struct EffectiveSetting {
    /// Which.
    pub key: &'static SettingKey,
    /// Its value, paths absolute; `None` if nothing holds.
    ///
    /// It may hold secrets: [`EffectiveSetting::shown`] does not.
    pub value: Option<Value>,
    /// Where it comes from, the weightier first; nowhere for what holds by default.
    pub origins: Vec<Origin>,
    /// What each of the origins says.
    pub(crate) given: Vec<Value>,
}

impl EffectiveSetting {
    /// Tells whether no file says anything of it.
    pub fn is_default(&self) -> bool {
        self.origins.is_empty()
    }

    /// Returns what the file of a layer says, if it counts.
    pub(crate) fn given_by(&self, layer: Layer) -> Option<&Value> {
        let mut given = self.origins.iter().zip(&self.given);
        let found = given.find(|(origin, _)| origin.layer == layer);
        found.map(|(_, value)| value)
    }

    /// Returns the value as people may see it: without keys and passwords.
    pub fn shown(&self) -> Option<Value> {
        self.value.as_ref().map(super::shown::without_secrets)
    }
}

impl fmt::Debug for EffectiveSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EffectiveSetting")
            .field("path", &self.key.path)
            .field("value", &self.shown())
            .field("origins", &self.origins)
            .finish()
    }
}
