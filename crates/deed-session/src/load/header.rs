use deed_protocol::SessionHeader;
use serde_json::{Map, Value};

use crate::SESSION_VERSION;

/// The header of a session as it is used, and the line that it stands on.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// Of the present version, whatever the file's is.
    pub(crate) shown: SessionHeader,
    /// The line to write, without its end.
    pub(crate) line: String,
}

/// The header line of a file.
#[derive(Clone, Debug)]
pub(crate) struct HeaderLine {
    fields: Map<String, Value>,
    id: String,
    version: u64,
}

/// Why a line is no header.
#[derive(Clone, Debug)]
pub(crate) enum HeaderFault {
    /// It is no JSON: the header may come after it.
    NoJson(String),
    /// It is something else.
    NoHeader(String),
}

impl HeaderLine {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, HeaderFault> {
        let text = String::from_utf8_lossy(bytes);
        let value: Value =
            serde_json::from_str(&text).map_err(|error| HeaderFault::NoJson(error.to_string()))?;
        let no_header = |reason: &str| Err(HeaderFault::NoHeader(reason.to_owned()));
        let Value::Object(fields) = value else {
            return no_header("it begins with a line that is no object");
        };
        if fields.get("type").and_then(Value::as_str) != Some("session") {
            return no_header("it begins with something other than a session header");
        }
        let version = match fields.get("version") {
            None => 1,
            Some(version) => match version.as_u64() {
                Some(version) => version,
                None => return no_header("the version in its header is no number"),
            },
        };
        match fields.get("id").and_then(Value::as_str) {
            Some(id) if !id.is_empty() => Ok(Self {
                id: id.to_owned(),
                version,
                fields,
            }),
            _ => no_header("its header has no id"),
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The version; a file without one is of the first.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The text of a field; empty if it has none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The header in the present version; fields that are not known stay.
    pub(crate) fn into_header(mut self) -> Header {
        self.fields
            .insert("version".to_owned(), SESSION_VERSION.into());
        let parent = self.text("parentSession");
        let shown = SessionHeader {
            kind: "session".to_owned(),
            version: SESSION_VERSION,
            id: self.id.clone(),
            timestamp: self.text("timestamp").to_owned(),
            cwd: self.text("cwd").to_owned(),
            parent_session: (!parent.is_empty()).then(|| parent.to_owned()),
        };
        Header {
            shown,
            line: Value::Object(self.fields).to_string(),
        }
    }
}

impl Header {
    /// Makes the header of a new session.
    pub(crate) fn new(shown: SessionHeader) -> Result<Self, serde_json::Error> {
        let line = serde_json::to_string(&shown)?;
        Ok(Self { shown, line })
    }
}
