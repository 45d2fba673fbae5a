use std::sync::Arc;

use deed_schema::Sha256Hash;
use serde_json::{Map, Value};

use super::event::Event;
use super::facts::{ApprovalAnswer, ApprovalAsked, CallRef, Decided, HookChange, OutcomeRecord};

/// One thing to record; there is one constructor for each kind of event.
///
/// Shape: the log adds number, time, session and the chain; it takes known secrets out of each text
/// and cuts what is too long.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(super) event: Event,
    pub(super) call: Option<CallRef>,
    pub(super) args: Option<String>,
    pub(super) decided: Option<Decided>,
    pub(super) rule_id: Option<Arc<str>>,
    pub(super) policy_sha256: Option<Sha256Hash>,
    pub(super) approval: Option<ApprovalPart>,
    pub(super) grant: Option<Arc<str>>,
    pub(super) hook: Option<HookPart>,
    pub(super) outcome: Option<OutcomeRecord>,
    pub(super) redactions: Option<u64>,
    pub(super) reason: Option<String>,
    pub(super) detail: Map<String, Value>,
    pub(super) only_reads: bool,
}

#[derive(Clone, Debug)]
pub(super) enum ApprovalPart {
    Asked(ApprovalAsked),
    Answered(ApprovalAnswer),
}

#[derive(Clone, Debug)]
pub(super) enum HookPart {
    Named(Arc<str>),
    Changed(HookChange),
}

impl Entry {
    /// The model asked for a call; `args` is the text of its arguments.
    pub fn call(call: CallRef, args: impl Into<String>) -> Self {
        Self {
            args: Some(args.into()),
            ..Self::about(Event::Call, call)
        }
    }

    /// A hook saw the call.
    pub fn hook(call: CallRef, change: HookChange) -> Self {
        Self {
            hook: Some(HookPart::Changed(change)),
            ..Self::about(Event::Hook, call)
        }
    }

    /// A hook failed, which blocks the call.
    pub fn hook_failed(call: CallRef, hook: &str, reason: impl Into<String>) -> Self {
        Self {
            hook: Some(HookPart::Named(hook.into())),
            ..Self::about(Event::HookFailed, call).reason(reason)
        }
    }

    /// The call was never decided on; `why` is a word for where it ended, `hook` what ended it.
    pub fn turned_away(
        call: CallRef,
        why: &str,
        hook: Option<&str>,
        reason: impl Into<String>,
    ) -> Self {
        let entry = Self::about(Event::TurnedAway, call).reason(reason);
        Self {
            hook: hook.map(|hook| HookPart::Named(hook.into())),
            ..entry.detail("why", why)
        }
    }

    /// A handler of an extension failed outside of a call.
    pub fn handler_failed(extension: &str, reason: impl Into<String>) -> Self {
        Self {
            hook: Some(HookPart::Named(extension.into())),
            ..Self::of(Event::HookFailed).reason(reason)
        }
    }

    /// An extension did something outside of its engine, or was refused it.
    pub fn extension_act(extension: &str, what: &str, refusal: Option<&str>) -> Self {
        let entry = Self {
            hook: Some(HookPart::Named(extension.into())),
            ..Self::of(Event::ExtensionAct)
        };
        let entry = entry
            .detail("act", what)
            .detail("allowed", refusal.is_none());
        match refusal {
            Some(reason) => entry.reason(reason),
            None => entry,
        }
    }

    /// An answer came to a question that no longer stands; it has no effect.
    pub fn late_answer(approval_id: &str) -> Self {
        Self::of(Event::LateAnswer).detail("approval_id", approval_id)
    }

    /// A rule decided under a version of the policy; without `rule_id` it was the mode's default.
    pub fn decision(
        call: CallRef,
        decided: Decided,
        rule_id: Option<&str>,
        policy_sha256: Sha256Hash,
    ) -> Self {
        Self {
            decided: Some(decided),
            rule_id: rule_id.map(Into::into),
            policy_sha256: Some(policy_sha256),
            ..Self::about(Event::Decision, call)
        }
    }

    /// A person was asked.
    pub fn approval_asked(call: CallRef, asked: ApprovalAsked) -> Self {
        Self {
            approval: Some(ApprovalPart::Asked(asked)),
            ..Self::about(Event::ApprovalAsked, call)
        }
    }

    /// A person answered, or nobody did; `policy_sha256` is the version it was asked under.
    pub fn approval(call: CallRef, answer: ApprovalAnswer, policy_sha256: Sha256Hash) -> Self {
        Self {
            approval: Some(ApprovalPart::Answered(answer)),
            policy_sha256: Some(policy_sha256),
            ..Self::about(Event::Approval, call)
        }
    }

    /// The call is about to run on this grant.
    pub fn intent(call: CallRef, grant: &str) -> Self {
        Self {
            grant: Some(grant.into()),
            ..Self::about(Event::Intent, call)
        }
    }

    /// The call goes on; counts only.
    pub fn progress(call: CallRef, updates: u64, bytes: u64) -> Self {
        Self::about(Event::Progress, call)
            .detail("bytes", bytes)
            .detail("updates", updates)
    }

    /// The call ran on this grant.
    pub fn outcome(call: CallRef, grant: &str, outcome: OutcomeRecord) -> Self {
        Self {
            grant: Some(grant.into()),
            outcome: Some(outcome),
            ..Self::about(Event::Outcome, call)
        }
    }

    /// The grant was dropped unused: the call did not run.
    pub fn void(call: CallRef, grant: &str) -> Self {
        Self {
            grant: Some(grant.into()),
            ..Self::about(Event::Void, call)
        }
    }

    /// The rules of this version hold from here on.
    pub fn policy_loaded(policy_sha256: Sha256Hash) -> Self {
        Self {
            policy_sha256: Some(policy_sha256),
            ..Self::of(Event::PolicyLoaded)
        }
    }

    /// The permission mode changed.
    pub fn mode_changed(from: &str, to: &str) -> Self {
        Self::of(Event::ModeChanged)
            .detail("from", from)
            .detail("to", to)
    }

    /// Adds why.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Adds how often something was taken out of what the call returned.
    pub fn redactions(mut self, count: u64) -> Self {
        self.redactions = Some(count);
        self
    }

    /// Adds a small fact.
    pub fn detail(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }

    /// Says that the intended call only looks, so that nobody need wait for a disk.
    pub fn only_reads(mut self) -> Self {
        self.only_reads = true;
        self
    }

    /// Tells whether [`super::Durability::Strict`] waits for the disk.
    pub(crate) fn is_effect(&self) -> bool {
        self.event == Event::Intent && !self.only_reads
    }

    /// Tells whether it belongs to a run in which nothing but reads happened, and nothing was asked,
    /// refused or went wrong.
    pub(super) fn is_of_quiet_reading(&self) -> bool {
        match self.event {
            Event::Intent => self.only_reads,
            Event::Decision => self.decided == Some(Decided::Allow),
            Event::Call | Event::Progress | Event::Outcome => true,
            Event::PolicyLoaded | Event::Closed => true,
            _ => false,
        }
    }

    pub(super) fn of(event: Event) -> Self {
        Self {
            event,
            call: None,
            args: None,
            decided: None,
            rule_id: None,
            policy_sha256: None,
            approval: None,
            grant: None,
            hook: None,
            outcome: None,
            redactions: None,
            reason: None,
            detail: Map::new(),
            only_reads: false,
        }
    }

    fn about(event: Event, call: CallRef) -> Self {
        Self {
            call: Some(call),
            ..Self::of(event)
        }
    }
}
