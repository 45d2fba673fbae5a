use std::sync::Arc;
use std::time::Duration;

use deed_protocol::{ToolCall, ToolResult};
use deed_schema::Sha256Hash;
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, FrozenCall, Grant};

/// Decides what may run, asks whoever must be asked, and keeps the record.
///
/// For each call in call order the runner calls `decide`; then `ask` for all undecided calls of
/// the batch at once; then `commit` once for all that may run (in a sequential batch, for each);
/// and `outcome` once for each call that was granted. A call that never gets as far as `decide`, or
/// was allowed by rule but cancelled before `commit`, is told by `turned_away`.
pub trait Gate: Send + Sync + 'static {
    /// Decides by rule.
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict>;

    /// Asks somebody.
    ///
    /// Cancellation: gives up waiting; a late answer is void.
    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer>;

    /// Decides again under the rules of this moment, writes the intents, and grants.
    ///
    /// Shape: one [`Committed`] for each [`Allowed`], in any order; what is missing is refused.
    ///
    /// Cancellation: what goes on five seconds later (setting) is dropped, and nothing of the batch
    /// runs; grants that were made by then are void.
    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>>;

    /// Records what came of a call that ran.
    ///
    /// Cancellation: what goes on five seconds later (setting) is dropped; the result stands.
    fn outcome<'a>(
        &'a self,
        call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()>;

    /// Hears that a running call has something to show; must not block.
    fn progress(&self, call: &FrozenCall, partial: &ToolResult) {
        let _ = (call, partial);
    }

    /// Hears of a call that was answered before it could be decided on, or before what was allowed
    /// by rule could be committed; must not block.
    fn turned_away(&self, call: &ToolCall, why: &TurnedAway<'_>) {
        let _ = (call, why);
    }
}

/// Why a call was answered before the gate could say how it ends.
#[derive(Clone, Copy, Debug)]
pub struct TurnedAway<'a> {
    /// Where it ended.
    pub stage: EarlyEnd,
    /// The hook that ended it, if one did.
    pub hook: Option<&'a str>,
    /// The result it was answered with.
    pub result: &'a ToolResult,
}

/// Where a call ends that is never decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// The answer that has it was cut at the output limit.
    CutShort,
    /// No tool of this turn has the name.
    Lookup,
    /// The arguments are not what the tool wants.
    Arguments,
    /// A hook blocked it, failed, or gave arguments that are not valid.
    Hook,
    /// A person said yes to other arguments than those that would run.
    Confirmation,
    /// The tool could not say what the call would touch.
    Plan,
    /// The run was cancelled.
    Cancelled,
    /// The tool or the gate panicked.
    Panic,
}

/// What a rule says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// Somebody must be asked.
    Ask(Question),
    /// It must not run.
    Deny(Refusal),
}

/// What to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Why it must be asked, for the person.
    pub reason: String,
}

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes.
    Approved(Approval),
    /// No, or no answer.
    Refused(Refusal),
}

/// A person's yes; the gate knows its record by this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval(pub Arc<str>);

/// Why a call must not run, for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The whole text of the error result.
    pub reason: String,
}

/// A call that a rule or a person allowed.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// The call.
    pub call: Arc<FrozenCall>,
    /// The person's yes, if one was asked.
    pub approval: Option<Approval>,
    /// The hash of what a call that was asked about would touch by now, measured again; to be
    /// compared with that of the call. Of such a call `None` says that it could not be measured or
    /// leads elsewhere.
    pub context_now: Option<Sha256Hash>,
}

/// On whose word a call runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Authority {
    /// Nobody's: the gate checks nothing.
    #[default]
    Unchecked,
    /// A rule or a mode allows it.
    Rule,
    /// A rule says of calls that write, in so many words, that nobody need be asked.
    StandingOrder,
    /// A person allowed exactly this.
    Person(Approval),
}

/// What `commit` says of one call.
#[derive(Debug)]
pub struct Committed {
    /// The call.
    pub call: Arc<FrozenCall>,
    /// The right to run it, or why not.
    pub grant: Result<Grant, Refusal>,
}

/// What came of a call that ran.
#[derive(Debug)]
pub struct CallOutcome<'a> {
    /// How it came to its end.
    pub kind: OutcomeKind,
    /// The result as the model will see it.
    pub result: &'a ToolResult,
    /// How long the tool itself took.
    pub elapsed: Duration,
}

/// How a call came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// The tool returned.
    Finished,
    /// The tool panicked.
    Panicked,
    /// The tool did not stop when it was told to and was let go.
    Unknown,
    /// The call was cancelled before it began; its grant is void.
    NeverRan,
}

/// Allows everything and records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn decide<'a>(&'a self, _call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        Box::pin(async { Verdict::Allow })
    }

    fn ask<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _question: &'a Question,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async {
            Answer::Refused(Refusal {
                reason: "nobody is there to be asked".to_owned(),
            })
        })
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        Box::pin(async move {
            batch
                .into_iter()
                .map(|allowed| Committed {
                    call: allowed.call,
                    grant: Ok(Grant::unrecorded()),
                })
                .collect()
        })
    }

    fn outcome<'a>(
        &'a self,
        _call: &'a FrozenCall,
        _outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}
