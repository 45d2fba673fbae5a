use std::sync::Arc;

use serde_json::Value;

use super::{ExtensionEvent, told};

/// A request is about to be sent to a provider, with these header fields.
///
/// Fields that hold a key are not among them; one that is set takes the place of such a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeforeProviderHeadersEvent {
    /// Name and value; without a value the field is not sent.
    pub headers: Vec<(String, Option<String>)>,
}

impl BeforeProviderHeadersEvent {
    /// Sets a field, whatever the case of its name; without a value it is not sent.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        let same = |(there, _): &&mut (String, Option<String>)| there.eq_ignore_ascii_case(name);
        match self.headers.iter_mut().find(same) {
            Some((_, there)) => *there = value,
            None => self.headers.push((name.to_owned(), value)),
        }
    }
}

impl ExtensionEvent for BeforeProviderHeadersEvent {
    const NAME: &'static str = "before_provider_headers";
    type Reply = ();
}

/// A request is about to be sent to a provider, with this body.
///
/// A handler may change it in place, or answer another one.
#[derive(Clone, Debug, PartialEq)]
pub struct BeforeProviderRequestEvent {
    /// The body, in the words of the provider's interface.
    pub payload: Arc<Value>,
}

impl ExtensionEvent for BeforeProviderRequestEvent {
    const NAME: &'static str = "before_provider_request";
    type Reply = Option<Value>;
}

/// A provider has begun to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfterProviderResponseEvent {
    /// The state, such as 200.
    pub status: u16,
    /// Header fields in lower case, in order; those that set cookies are left out.
    pub headers: Vec<(String, String)>,
}

told! {
    AfterProviderResponseEvent = "after_provider_response",
}
