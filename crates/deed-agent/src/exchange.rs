use std::sync::Arc;

use serde_json::Value;

use crate::BoxFuture;

/// A header field: its name, and its value or that it is not sent.
pub type HeaderField = (String, Option<String>);

/// Sees what a model exchanges with whoever runs it, and may change what is sent.
///
/// All methods have a default that does nothing. What nobody wants is not put together.
pub trait ExchangeHooks: Send + Sync + 'static {
    /// Tells whether header fields are to be shown.
    fn wants_headers(&self) -> bool {
        false
    }

    /// Tells whether bodies are to be shown.
    fn wants_payload(&self) -> bool {
        false
    }

    /// Tells whether answers are to be told.
    fn wants_response(&self) -> bool {
        false
    }

    /// Sees the header fields of a request, without those that hold keys, and gives those to send.
    /// One that was shown and is not given is not sent.
    fn headers(&self, headers: Vec<HeaderField>) -> BoxFuture<'_, Vec<HeaderField>> {
        Box::pin(async { headers })
    }

    /// Sees the body of a request and gives the one to send.
    fn payload(&self, payload: Arc<Value>) -> BoxFuture<'_, Arc<Value>> {
        Box::pin(async { payload })
    }

    /// Hears of the head of an answer: its state and its header fields in lower case.
    fn response(&self, status: u16, headers: Vec<(String, String)>) -> BoxFuture<'_, ()> {
        let _ = (status, headers);
        Box::pin(async {})
    }
}
