use std::sync::Arc;
use std::time::Duration;

use deed_protocol::ToolCard;
use deed_schema::Sha256Hash;

use super::ShownCall;
use crate::policy::Part;

/// One question to a person, bound to one frozen call.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// Names this question and no other.
    pub id: Arc<str>,
    /// The call, as the model named it.
    pub call_id: Arc<str>,
    /// The hash of the arguments that will run.
    pub args_sha256: Sha256Hash,
    /// The hash of what must still be so then.
    pub context_sha256: Sha256Hash,
    /// Why it is asked.
    pub reason: String,
    /// What to show: exactly this.
    pub shown: ShownCall,
    /// What helps to understand it, such as the difference it would make to a file.
    pub preview: Option<ToolCard>,
    /// What the policy says of the parts of a command.
    pub parts: Vec<Part>,
    /// What may be answered.
    pub choices: Vec<Choice>,
    /// How long the question stands, counted from its beginning and from each answer to another.
    pub timeout: Duration,
}

impl ApprovalRequest {
    /// Returns the hash of what is to be shown.
    pub fn display_sha256(&self) -> Sha256Hash {
        self.shown.sha256()
    }

    /// Returns the rule that "always" would store, to the letter.
    pub fn rule_for_always(&self) -> Option<&str> {
        self.choices.iter().find_map(|choice| match choice {
            Choice::Always { rule } => Some(rule.as_str()),
            _ => None,
        })
    }

    /// Tells whether the same call may be allowed for the session.
    pub fn offers_session(&self) -> bool {
        self.choices.contains(&Choice::Session)
    }
}

/// An answer that may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this once.
    Once,
    /// Yes, and to the same call for the rest of the session.
    Session,
    /// Yes, and from now on to whatever this rule covers.
    Always {
        /// The rule that is stored, to the letter.
        rule: String,
    },
    /// No.
    Deny,
}
