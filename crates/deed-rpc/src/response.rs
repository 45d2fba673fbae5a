use deed_agent::BoxFuture;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::refusal::Refusal;

/// The answer to a command.
///
/// Shape: `{id?, type: "response", command, success, data?|error?}`.
#[derive(Debug, Serialize)]
pub(crate) struct Response<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(rename = "type")]
    kind: &'static str,
    command: &'a str,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> Response<'a> {
    pub(crate) fn done(id: Option<&'a RawValue>, command: &'a str, answer: &'a Answer) -> Self {
        Self {
            id,
            kind: "response",
            command,
            success: true,
            data: answer.data.as_deref(),
            error: None,
        }
    }

    pub(crate) fn failed(id: Option<&'a RawValue>, command: &'a str, error: String) -> Self {
        Self {
            id,
            kind: "response",
            command,
            success: false,
            data: None,
            error: Some(error),
        }
    }
}

/// What came of a command that was carried out.
#[derive(Default)]
pub(crate) struct Answer {
    data: Option<Box<RawValue>>,
    after: Option<BoxFuture<'static, ()>>,
}

/// What came of a command.
pub(crate) type Answered = Result<Answer, Refusal>;

impl Answer {
    /// There is nothing to say.
    pub(crate) fn nothing() -> Answered {
        Ok(Self::default())
    }

    /// This is to say.
    pub(crate) fn of(data: &impl Serialize) -> Answered {
        Ok(Self {
            data: Some(to_raw_value(data)?),
            after: None,
        })
    }

    /// Goes on with this when the answer is out.
    pub(crate) fn then(self, after: impl Future<Output = ()> + Send + 'static) -> Self {
        Self {
            after: Some(Box::pin(after)),
            ..self
        }
    }

    /// Does what is left to do.
    pub(crate) async fn go_on(self) {
        if let Some(after) = self.after {
            after.await;
        }
    }
}
