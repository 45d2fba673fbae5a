//! Takes secrets out of what leaves for the model, the session and the audit log.
//!
//! Known values are replaced everywhere, also in streams and saved output; shapes that look like
//! secrets only in text and values that leave. What is sent, hashed or run is never changed.

mod environment;
mod forms;
mod known;
mod markers;
mod result;
mod shapes;
mod stream;

use std::borrow::Cow;
use std::string::FromUtf8Error;
use std::sync::Arc;

use deed_agent::{RedactStream, Redactor};
use deed_protocol::ToolResult;
use serde_json::Value;

use self::known::KnownValues;
use self::markers::Markers;
use self::stream::KnownStream;

pub use environment::{known_from_environment, known_from_url};

/// A secret that the runtime holds.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownSecret {
    /// What it is for, such as the name of its variable; stands in the replacement.
    pub kind: String,
    /// The secret itself.
    pub value: String,
}

impl std::fmt::Debug for KnownSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KnownSecret({})", self.kind)
    }
}

/// A secret that is not looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretWarning {
    /// It would be found in ordinary text.
    #[error(
        "the secret {kind} has fewer than {MIN_CHARS} characters and is not redacted; use a longer one"
    )]
    TooShort {
        /// What the secret is for.
        kind: String,
    },
    /// It would have to be held back in memory.
    #[error(
        "the secret {kind} has more than {MAX_BYTES} bytes and is not redacted; keep it in a file"
    )]
    TooLong {
        /// What the secret is for.
        kind: String,
    },
}

const MIN_CHARS: usize = 8;
const MAX_BYTES: usize = 32 * 1024;

/// Replaces secrets by markers such as `[redacted:API_KEY:1]`.
///
/// The number is that of the value in this session: equal values have equal markers, in all streams
/// and texts. Clones share it.
///
/// ```
/// use deed_guard::redact::{KnownSecret, SecretRedactor};
///
/// let key = KnownSecret { kind: "API_KEY".into(), value: "correct-horse-battery".into() };
/// let (redactor, warnings) = SecretRedactor::new([key]);
/// assert!(warnings.is_empty());
///
/// let clean = redactor.redact_text("curl -u me:correct-horse-battery host");
/// assert_eq!(clean, "curl -u me:[redacted:API_KEY:1] host");
/// assert!(redactor.contains_marker(&clean));
/// assert!(!redactor.contains_marker("[redacted:API_KEY:7]"));
/// ```
#[derive(Clone)]
pub struct SecretRedactor {
    shared: Arc<Shared>,
}

struct Shared {
    known: Option<KnownValues>,
    markers: Markers,
}

impl std::fmt::Debug for SecretRedactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecretRedactor").finish_non_exhaustive()
    }
}

impl SecretRedactor {
    /// Makes the redactor of a session, and a warning for each secret it will not look for.
    pub fn new(secrets: impl IntoIterator<Item = KnownSecret>) -> (Self, Vec<SecretWarning>) {
        let (mut usable, mut warnings) = (Vec::<KnownSecret>::new(), Vec::new());
        for KnownSecret { kind, value } in secrets {
            let value = value.trim().to_owned();
            if value.chars().count() < MIN_CHARS {
                warnings.push(SecretWarning::TooShort { kind });
            } else if value.len() > MAX_BYTES {
                warnings.push(SecretWarning::TooLong { kind });
            } else if usable.iter().all(|known| known.value != value) {
                usable.push(KnownSecret { kind, value });
            }
        }
        let shared = Arc::new(Shared {
            known: KnownValues::new(usable.iter().map(|known| known.value.as_str())),
            markers: Markers::new(&usable),
        });
        (Self { shared }, warnings)
    }

    /// Replaces known secrets and what looks like a secret.
    pub fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.redact_known(text);
        match shapes::replace(&known, &self.shared.markers) {
            Some(clean) => Cow::Owned(clean),
            None => known,
        }
    }

    /// Replaces known secrets only.
    pub fn redact_known<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(known) = &self.shared.known else {
            return Cow::Borrowed(text);
        };
        let mut clean = Vec::new();
        let end = known.replace(
            text.as_bytes(),
            text.len(),
            &mut clean,
            &self.shared.markers,
        );
        if end.is_none() {
            return Cow::Borrowed(text);
        }
        // Every form of a secret begins and ends at the border of a character.
        let clean = String::from_utf8(clean);
        let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
        Cow::Owned(clean.unwrap_or_else(lossy))
    }

    /// Whether a text holds a marker that this session issued; such a text must not be written.
    pub fn contains_marker(&self, text: &str) -> bool {
        self.shared.markers.are_in(text)
    }

    /// Takes the markers in text of an earlier run of this session for issued.
    pub fn adopt_markers(&self, text: &str) {
        self.shared.markers.adopt(text);
    }
}

impl Redactor for SecretRedactor {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        self.shared.known.as_ref()?;
        Some(Box::new(KnownStream::new(self.shared.clone())))
    }

    fn redact_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Self::redact_text(self, text)
    }

    fn redact_value(&self, value: &mut Value) {
        Self::redact_value(self, value);
    }

    fn redact_result(&self, result: &mut ToolResult) {
        Self::redact_result(self, result);
    }
}
