//! Approvals of calls, as questions that any client can show and answer.

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Choice, Reply, ReplyAnswer};
use deed_protocol::{NoticeLevel, ToolCard};
use deed_schema::Sha256Hash;
use deed_tooling::AskOptions;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::Client;
use crate::fields::Fields;
use crate::ui::milliseconds;

/// Puts approvals before the client: a `select` whose title is all that will run, with the hashes,
/// the frozen text and the card beside it.
///
/// The answer is the text of an option or its word in `choices`; anything else is no. It may return
/// `displaySha256`, the hash of what was shown, and is then on record as verified; it may return
/// `toolCallId`, `argsSha256` and `contextSha256`. If one of them is not that of the question, the
/// call is refused.
#[derive(Clone, Debug)]
pub struct RpcApprover(pub(crate) Client);

/// An approval as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    method: &'static str,
    title: String,
    options: Vec<String>,
    timeout: u64,
    approval_id: &'a str,
    tool_call_id: &'a str,
    args_sha256: Sha256Hash,
    context_sha256: Sha256Hash,
    /// Over `text`.
    display_sha256: Sha256Hash,
    text: String,
    reason: &'a str,
    /// What each option means.
    choices: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<&'a ToolCard>,
}

impl<'a> Body<'a> {
    fn of(request: &'a ApprovalRequest) -> Self {
        let text = request.shown.text();
        let reason = request.reason.replace(char::is_control, " ");
        Self {
            method: "select",
            title: format!("Allow this call? {reason}\n\n{text}"),
            options: request.choices.iter().map(label).collect(),
            timeout: milliseconds(request.timeout),
            approval_id: &request.id,
            tool_call_id: &request.call_id,
            args_sha256: request.args_sha256,
            context_sha256: request.context_sha256,
            display_sha256: request.display_sha256(),
            text,
            reason: &request.reason,
            choices: request.choices.iter().map(word).collect(),
            rule: request.rule_for_always(),
            card: request.preview.as_ref(),
        }
    }
}

fn label(choice: &Choice) -> String {
    match choice {
        Choice::Once => "Allow once".to_owned(),
        Choice::Session => "Allow this call for the session".to_owned(),
        Choice::Always { rule } => format!("Always allow: {rule}"),
        Choice::Deny => "Deny".to_owned(),
    }
}

fn word(choice: &Choice) -> &'static str {
    match choice {
        Choice::Once => "once",
        Choice::Session => "session",
        Choice::Always { .. } => "always",
        Choice::Deny => "deny",
    }
}

impl RpcApprover {
    async fn ask_client(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Reply {
        // The gate counts the time, which begins anew with each answer to another question.
        let options = AskOptions {
            timeout: None,
            cancel: Some(cancel.clone()),
        };
        let approval = Some(request.id.clone());
        match self.0.ask(&Body::of(request), &options, approval).await {
            Some(answer) => understand(&answer, request),
            None => Reply::new(ReplyAnswer::Unavailable),
        }
    }
}

fn understand(answer: &Fields, request: &ApprovalRequest) -> Reply {
    let said: Option<String> = answer.lenient("value");
    let chosen = said.and_then(|said| {
        let is_said = |choice: &&Choice| label(choice) == said || word(choice) == said;
        request.choices.iter().find(is_said)
    });
    Reply {
        answer: match chosen {
            Some(Choice::Once) => ReplyAnswer::Once,
            Some(Choice::Session) => ReplyAnswer::Session,
            Some(Choice::Always { .. }) => ReplyAnswer::Always,
            Some(Choice::Deny) | None => ReplyAnswer::Deny,
        },
        comment: answer.lenient("comment"),
        display_sha256: shown(answer, request),
        user: answer.lenient::<String>("user").map(Into::into),
    }
}

/// Returns the hash of what was shown as far as the answer tells.
fn shown(answer: &Fields, request: &ApprovalRequest) -> Option<Sha256Hash> {
    let display = request.display_sha256();
    let claims = [
        ("displaySha256", display.to_string()),
        ("argsSha256", request.args_sha256.to_string()),
        ("contextSha256", request.context_sha256.to_string()),
        ("toolCallId", request.call_id.to_string()),
    ];
    let mut claimed = claims.iter().filter(|(name, _)| answer.has(name));
    let is_true = |(name, meant): &(&'static str, String)| {
        answer.lenient::<String>(name).as_ref() == Some(meant)
    };
    match claimed.all(is_true) {
        true => answer.has("displaySha256").then_some(display),
        // The hash of something else, whatever it was.
        false => Some(Sha256Hash::from([0; 32])),
    }
}

impl Approver for RpcApprover {
    fn channel(&self) -> Channel {
        Channel::Rpc
    }

    fn is_there(&self) -> bool {
        self.0.is_there()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        Box::pin(self.ask_client(request, cancel))
    }

    fn tell(&self, message: &str) {
        self.0.ui().note(message, NoticeLevel::Warning);
    }
}
