use std::sync::Arc;
use std::time::Duration;

use deed_schema::Sha256Hash;
use jiff::Timestamp;

use super::words::words;

/// Names a tool call in each record about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRef {
    /// The run it belongs to.
    pub run: Arc<str>,
    /// The turn within the run, counted from one.
    pub turn: Option<u64>,
    /// The id that the model gave.
    pub id: Arc<str>,
    /// The number that tells apart calls with one id; a call that was never frozen has none.
    pub serial: Option<u64>,
    /// The name of the tool.
    pub tool: Arc<str>,
    /// Where the tool comes from, such as `builtin:read`; unknown tools have no source.
    pub source: Option<Arc<str>>,
    /// The hash of the arguments that would run.
    pub args_sha256: Option<Sha256Hash>,
    /// The hash of what must still be so when the call runs.
    pub context_sha256: Option<Sha256Hash>,
}

impl CallRef {
    /// Names a call by its run, its id and its tool.
    pub fn new(run: &str, id: &str, tool: &str) -> Self {
        Self {
            run: run.into(),
            turn: None,
            id: id.into(),
            serial: None,
            tool: tool.into(),
            source: None,
            args_sha256: None,
            context_sha256: None,
        }
    }
}

words! {
    /// What a rule says.
    Decided {
        /// It may run.
        Allow = "allow",
        /// Somebody must be asked.
        Ask = "ask",
        /// It must not run.
        Deny = "deny",
    }
}

/// What a hook did to the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookChange {
    /// The hook.
    pub name: Arc<str>,
    /// The hash of the arguments that it was given.
    pub before_sha256: Sha256Hash,
    /// The hash of the arguments that it left.
    pub after_sha256: Sha256Hash,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAsked {
    /// The name of the question.
    pub approval_id: Arc<str>,
    /// The way it goes: `tty`, `desktop`, `rpc`, `web` or `none`.
    pub channel: Arc<str>,
    /// The hash of what is shown.
    pub display_sha256: Option<Sha256Hash>,
}

/// What a person answered, or why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// The question.
    pub asked: ApprovalAsked,
    /// The answer.
    pub decision: ApprovalDecision,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When the answer came.
    pub answered_at: Timestamp,
    /// Who answered.
    pub user: Option<Arc<str>>,
    /// The rule that the answer made.
    pub rule_created: Option<Arc<str>>,
    /// What the person wrote.
    pub comment: Option<Arc<str>>,
    /// Whether the client returned the hash of what it showed.
    pub verified: bool,
}

words! {
    /// What came of asking.
    ApprovalDecision {
        /// Yes, this call.
        AllowOnce = "allow_once",
        /// Yes, for the session.
        AllowSession = "allow_session",
        /// Yes, by a new rule.
        AllowRule = "allow_rule",
        /// No.
        Deny = "deny",
        /// Nobody answered in time.
        Timeout = "timeout",
        /// The run was cancelled first.
        Cancelled = "cancelled",
        /// Nobody was there to be asked.
        NoUi = "no_ui",
    }
}

/// What came of a call that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeRecord {
    /// Whether the result is an error.
    pub is_error: bool,
    /// A short word for how it ended, such as `timeout` or `outcome_unknown`.
    pub code: Option<Arc<str>>,
    /// The size of the content.
    pub bytes: u64,
    /// The hash of the content.
    pub sha256: Sha256Hash,
    /// Whether something of the content was cut.
    pub truncated: bool,
    /// How long the tool took.
    pub elapsed: Duration,
}
