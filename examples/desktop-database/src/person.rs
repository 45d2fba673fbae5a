use std::fmt;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use deed_tooling::{AskOptions, Ui};
use tokio_util::sync::CancellationToken;

/// Hears what a person is asked and what they answer.
pub type Said = Arc<dyn Fn(String) + Send + Sync>;

/// Stands in for the person at the dialogs of a desktop program, and says what happens there.
///
/// A real host opens a window in both places: here for the approval of a call as it will run, there
/// for what an extension wants to know.
#[derive(Clone)]
pub struct Person {
    said: Said,
}

impl Person {
    /// Makes a person whose dialogs `said` hears.
    pub fn new(said: Said) -> Self {
        Self { said }
    }
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Person")
    }
}

impl Approver for Person {
    fn channel(&self) -> Channel {
        Channel::Desktop
    }

    fn is_there(&self) -> bool {
        true
    }

    /// Agrees to what concerns the stock and to nothing that deletes.
    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        let text = request.shown.text();
        let mut reply = Reply::new(ReplyAnswer::Once);
        if text.contains("DELETE") {
            reply.answer = ReplyAnswer::Deny;
            reply.comment = Some("keep the orders, they are needed for the taxes".to_owned());
        }
        reply.display_sha256 = Some(request.display_sha256());
        let answer = match &reply.comment {
            None => "Yes, this once.".to_owned(),
            Some(comment) => format!("No: {comment}."),
        };
        (self.said)(format!("{}\n{text}\n{answer}", request.reason));
        Box::pin(async move { reply })
    }
}

impl Ui for Person {
    fn has_ui(&self) -> bool {
        true
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        _options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        (self.said)(format!("{title}\n{message}\nYes."));
        Box::pin(async { true })
    }
}
