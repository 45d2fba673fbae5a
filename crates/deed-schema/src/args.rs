use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::canonical::{Sha256Hash, canonical_json};
use crate::faults::Faults;

/// Arguments as the model wrote them, to the letter; nothing is known about them but that they are JSON.
///
/// Shape: any JSON value; `null`, `""` and a blank text mean `{}` to [`ToolSchema::validate`](crate::ToolSchema::validate).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawArgs(pub Arc<RawValue>);

impl RawArgs {
    /// Returns `{}`.
    pub fn empty() -> Self {
        Self(deed_protocol::empty_arguments())
    }

    /// Takes a text as arguments; a blank text is `{}`.
    ///
    /// Errors: the text is not one JSON value. [`repair_arguments`](crate::repair_arguments) is more lenient.
    pub fn from_text(text: &str) -> Result<Self, Faults> {
        if text.trim().is_empty() {
            return Ok(Self::empty());
        }
        match serde_json::from_str::<Box<RawValue>>(text) {
            Ok(raw) => Ok(Self(raw.into())),
            Err(error) => Err(Faults::at("", format!("not valid JSON: {error}"))),
        }
    }

    /// Writes a value as arguments.
    #[expect(
        clippy::expect_used,
        reason = "a Value prints as JSON: no NaN, keys are strings"
    )]
    pub fn from_value(value: &Value) -> Self {
        let raw = RawValue::from_string(value.to_string()).expect("a value prints as JSON");
        Self(raw.into())
    }

    /// Returns the text.
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

impl From<Arc<RawValue>> for RawArgs {
    fn from(raw: Arc<RawValue>) -> Self {
        Self(raw)
    }
}

/// Arguments that the tool's schema accepts.
///
/// [`ToolSchema::validate`](crate::ToolSchema::validate) alone makes one, so whoever holds one need
/// not check again. It cannot be changed: other arguments are validated anew.
#[derive(Clone, Debug)]
pub struct ValidatedArgs {
    value: Arc<Value>,
}

impl ValidatedArgs {
    pub(crate) fn new(value: Value) -> Self {
        Self {
            value: Arc::new(value),
        }
    }

    /// Returns the arguments: always an object.
    pub fn value(&self) -> &Arc<Value> {
        &self.value
    }

    /// Reads the arguments into the tool's own type.
    ///
    /// Errors: the type wants more than the schema said, such as a path without NUL.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Faults> {
        T::deserialize(&*self.value).map_err(|error| {
            Faults::at("", format!("the tool cannot use these arguments: {error}"))
        })
    }

    /// Returns the canonical bytes.
    ///
    /// Source: RFC 8785.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_json(&self.value)
    }

    /// Returns the hash of the canonical bytes: what an approval is bound to.
    pub fn sha256(&self) -> Sha256Hash {
        Sha256Hash::of_canonical(&self.value)
    }
}
