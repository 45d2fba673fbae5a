//! The beginning of an entry: all that the index needs, without taking the content apart.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::index::{Kind, Role};
use crate::own::OwnKind;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an entry")]
struct FullHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    parent_id: Option<Text<'a>>,
    #[serde(default, borrow)]
    custom_type: Option<Text<'a>>,
    #[serde(default, borrow)]
    message: Option<MessageHead<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a message")]
struct MessageHead<'a> {
    #[serde(default, borrow)]
    role: Option<Text<'a>>,
    #[serde(default)]
    added_tool_names: Option<IgnoredAny>,
}

/// What is left of an entry whose content has the wrong shape.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an entry")]
struct BareHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    id: Option<Text<'a>>,
    #[serde(default, borrow)]
    parent_id: Option<Text<'a>>,
}

/// Text that is borrowed where it can be; serde alone would copy it inside an `Option`.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// What the index needs of an entry.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub(crate) word: Cow<'a, str>,
    pub(crate) kind: Kind,
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) parent_id: Option<Cow<'a, str>>,
    /// Whether the message was spoken in a role of the second version.
    pub(crate) is_hook_message: bool,
    /// Why only the place in the tree can be told.
    pub(crate) fault: Option<String>,
}

impl<'a> Head<'a> {
    /// Errors: the text is no JSON object with a type.
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        // An array would do for serde.
        if !text.trim_ascii_start().starts_with('{') {
            return Err("it is no JSON object".to_owned());
        }
        match serde_json::from_str::<FullHead<'a>>(text) {
            Ok(head) => Ok(Self::of_full(head)),
            Err(fault) => {
                let bare: BareHead<'a> =
                    serde_json::from_str(text).map_err(|error| error.to_string())?;
                Ok(Self::of_bare(bare, fault.to_string()))
            }
        }
    }

    fn of_full(head: FullHead<'a>) -> Self {
        let mut kind = Kind::of_word(&head.kind);
        let mut is_hook_message = false;
        match (&mut kind, &head.message, &head.custom_type) {
            (Kind::Message(role), Some(message), _) => {
                let word = message.role.as_ref().map_or("", |role| &*role.0);
                *role = Role::of_word(word, message.added_tool_names.is_some());
                is_hook_message = word == super::migrate::HOOK_ROLE;
            }
            (Kind::Custom(own), _, Some(word)) => *own = OwnKind::of_word(&word.0),
            _ => {}
        }
        Self {
            word: head.kind,
            kind,
            id: head.id.map(|id| id.0),
            parent_id: head.parent_id.map(|id| id.0),
            is_hook_message,
            fault: None,
        }
    }

    fn of_bare(head: BareHead<'a>, fault: String) -> Self {
        Self {
            word: head.kind,
            kind: Kind::Broken,
            id: head.id.map(|id| id.0),
            parent_id: head.parent_id.map(|id| id.0),
            is_hook_message: false,
            fault: Some(fault),
        }
    }
}

/// Finds id and parent in what is left of a damaged line, if its beginning is whole.
///
/// Shape: both stand before the content in every line that Deed or Pi writes for a message.
pub(crate) fn salvaged_place(text: &str) -> Option<(&str, Option<&str>)> {
    const MAX_BYTES: usize = 256;
    let content = text.find("\"message\":").unwrap_or(text.len());
    let beginning = text.get(..content.min(text.floor_char_boundary(MAX_BYTES)))?;
    let id = id_after(beginning, "\"id\":\"")?;
    if beginning.contains("\"parentId\":null") {
        return Some((id, None));
    }
    Some((id, Some(id_after(beginning, "\"parentId\":\"")?)))
}

fn id_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(key)?;
    let (id, _) = rest.split_once('"')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!id.is_empty() && id.chars().all(is_plain)).then_some(id)
}
