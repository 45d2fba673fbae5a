//! A command as it came: its type, its id, and its fields, each read when it is wanted.

use std::collections::BTreeMap;

use deed_agent::DrainMode;
use deed_protocol::{ImageBlock, ThinkingLevel};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::refusal::Refusal;

/// So much of a wrong value is shown.
const MAX_SHOWN_CHARS: usize = 40;

/// The fields of a record that came in.
///
/// Shape: values are kept as they were written, so that one field that is deeply nested or huge costs
/// nothing unless it is wanted.
#[derive(Debug)]
pub(crate) struct Fields {
    members: BTreeMap<String, Box<RawValue>>,
}

impl Fields {
    /// Reads a record.
    ///
    /// Errors: what is wrong with the line.
    pub(crate) fn read(line: &[u8]) -> Result<Self, String> {
        let members = serde_json::from_slice(line).map_err(|error| {
            let text = error.to_string();
            let reason = text.split(" at line ").next().unwrap_or(&text);
            match error.classify() {
                serde_json::error::Category::Data => "a command is a JSON object".to_owned(),
                _ => format!("this is not JSON: {reason} (column {})", error.column()),
            }
        })?;
        Ok(Self { members })
    }

    /// Returns the type of the record.
    pub(crate) fn kind(&self) -> Result<String, Refusal> {
        self.required("type")
    }

    /// Returns what the client calls the record.
    pub(crate) fn id(&self) -> Result<Option<Box<RawValue>>, Refusal> {
        let Some(raw) = self.given("id") else {
            return Ok(None);
        };
        let is_name = |first: &u8| matches!(first, b'"' | b'-' | b'0'..=b'9');
        match raw.get().as_bytes().first().is_some_and(is_name) {
            true => Ok(Some(raw.to_owned())),
            false => Err(ill_typed("id", "a text or a number", raw)),
        }
    }

    /// Reads a field that must be there.
    pub(crate) fn required<T: Field>(&self, name: &'static str) -> Result<T, Refusal> {
        let missing = || Refusal::Missing {
            field: name,
            wanted: T::WANTED,
        };
        self.optional(name)?.ok_or_else(missing)
    }

    /// Reads a field that may be left out; `null` is as if it were.
    pub(crate) fn optional<T: Field>(&self, name: &'static str) -> Result<Option<T>, Refusal> {
        let Some(raw) = self.given(name) else {
            return Ok(None);
        };
        match T::read(raw) {
            Some(value) => Ok(Some(value)),
            None => Err(ill_typed(name, T::WANTED, raw)),
        }
    }

    /// Reads a field of which nothing but its presence and right type counts.
    pub(crate) fn lenient<T: Field>(&self, name: &'static str) -> Option<T> {
        self.given(name).and_then(T::read)
    }

    /// Tells whether a field is there, whatever it is.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    fn given(&self, name: &str) -> Option<&RawValue> {
        let raw = self.members.get(name)?;
        (raw.get() != "null").then_some(raw)
    }
}

fn ill_typed(field: &'static str, wanted: &'static str, raw: &RawValue) -> Refusal {
    let text = raw.get();
    let given = match text.as_bytes().first() {
        Some(b'{') => "an object".to_owned(),
        Some(b'[') => "an array".to_owned(),
        _ => match text.char_indices().nth(MAX_SHOWN_CHARS) {
            Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
            None => text.to_owned(),
        },
    };
    Refusal::IllTyped {
        field,
        wanted,
        given,
    }
}

/// What a field can be.
pub(crate) trait Field: Sized {
    /// What it must be, in words.
    const WANTED: &'static str;

    fn read(raw: &RawValue) -> Option<Self>;
}

impl Field for String {
    const WANTED: &'static str = "a text";

    fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl Field for bool {
    const WANTED: &'static str = "true or false";

    fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl Field for Vec<ImageBlock> {
    const WANTED: &'static str =
        "a list of pictures, each {\"type\": \"image\", \"data\": BASE64, \"mimeType\": …}";

    fn read(raw: &RawValue) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Picture {
            #[serde(default, rename = "type")]
            kind: Option<String>,
            data: String,
            mime_type: String,
        }
        let pictures: Vec<Picture> = serde_json::from_str(raw.get()).ok()?;
        let blocks = pictures.into_iter().map(|picture| {
            let is_image = picture.kind.is_none_or(|kind| kind == "image");
            is_image.then_some(ImageBlock {
                data: picture.data,
                mime_type: picture.mime_type,
                ..ImageBlock::default()
            })
        });
        blocks.collect()
    }
}

impl Field for ThinkingLevel {
    const WANTED: &'static str = "off, minimal, low, medium, high, xhigh or max";

    fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl Field for DrainMode {
    const WANTED: &'static str = "\"all\" or \"one-at-a-time\"";

    fn read(raw: &RawValue) -> Option<Self> {
        word(
            raw,
            &[("all", Self::All), ("one-at-a-time", Self::OneAtATime)],
        )
    }
}

/// What becomes of a prompt while a run is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// It waits for the end of the batch.
    Steer,
    /// It waits for the end of the run.
    FollowUp,
}

impl Field for Queue {
    const WANTED: &'static str = "\"steer\" or \"followUp\"";

    fn read(raw: &RawValue) -> Option<Self> {
        word(raw, &[("steer", Self::Steer), ("followUp", Self::FollowUp)])
    }
}

fn word<T: Copy>(raw: &RawValue, words: &[(&str, T)]) -> Option<T> {
    let given: String = serde_json::from_str(raw.get()).ok()?;
    words
        .iter()
        .find(|(word, _)| *word == given)
        .map(|(_, value)| *value)
}
