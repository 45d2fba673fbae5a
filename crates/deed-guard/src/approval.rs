//! Asking a person: what they are shown, what they may answer, and for how long that holds.

mod request;
mod shown;

use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_schema::Sha256Hash;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

pub use request::{ApprovalRequest, Choice};
pub use shown::ShownCall;

/// Puts questions before a person; every front end that can do so implements it.
///
/// Several questions may be open at once. Each is bound to its call by the id of the request: an
/// answer to one leaves the others open.
pub trait Approver: Send + Sync + 'static {
    /// Says how the person is reached, for the record.
    fn channel(&self) -> Channel;

    /// Tells whether somebody can answer at this moment.
    fn is_there(&self) -> bool;

    /// Asks; comes back when the person has answered or can no longer be reached.
    ///
    /// Cancellation: the token takes the question back, and so does dropping the future. An answer
    /// that comes later is void; a front end that gets one reports it by
    /// [`crate::GuardGate::note_late_answer`].
    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply>;

    /// Tells the person something about an answer they gave.
    fn tell(&self, message: &str) {
        let _ = message;
    }
}

/// How a person is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// At the terminal of the program.
    Tty,
    /// In a window of the host.
    Desktop,
    /// In a browser.
    Web,
    /// Through a program on the other end of a wire.
    Rpc,
    /// Not at all.
    None,
}

impl Channel {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tty => "tty",
            Self::Desktop => "desktop",
            Self::Web => "web",
            Self::Rpc => "rpc",
            Self::None => "none",
        }
    }
}

/// What a person answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub answer: ReplyAnswer,
    /// What else they said; for the model if they refused.
    pub comment: Option<String>,
    /// The hash of what the front end showed, if it says so.
    pub display_sha256: Option<Sha256Hash>,
    /// Who answered, if that is known.
    pub user: Option<Arc<str>>,
}

impl Reply {
    /// Makes a reply that says no more than its answer.
    pub fn new(answer: ReplyAnswer) -> Self {
        Self {
            answer,
            comment: None,
            display_sha256: None,
            user: None,
        }
    }
}

/// The answers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyAnswer {
    /// Yes, this once.
    Once,
    /// Yes, and to the same call for the rest of the session.
    Session,
    /// Yes, and to whatever the rule of the request covers from now on.
    Always,
    /// No.
    Deny,
    /// Nobody can be reached any more.
    Unavailable,
}

/// Nobody is there to be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoApprover;

impl Approver for NoApprover {
    fn channel(&self) -> Channel {
        Channel::None
    }

    fn is_there(&self) -> bool {
        false
    }

    fn ask<'a>(
        &'a self,
        _request: &'a ApprovalRequest,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        Box::pin(async { Reply::new(ReplyAnswer::Unavailable) })
    }
}
