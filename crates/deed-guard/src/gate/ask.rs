//! From a question to an answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use deed_agent::{Answer, Approval, FrozenCall, Question, Refusal};
use deed_schema::Sha256Hash;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::grants::only_reads;
use super::{Shared, question, refusal};
use crate::approval::{ApprovalRequest, Reply, ReplyAnswer};
use crate::audit::{ApprovalAnswer, ApprovalAsked, ApprovalDecision, Entry};
use crate::policy::{PolicyVerdict, Tier};

/// How long a front end may take to take a question back.
const LEAVE_TIME: Duration = Duration::from_millis(500);

/// Asks about one call, and answers without asking as soon as an answer elsewhere covers it.
pub(super) async fn ask(
    shared: &Arc<Shared>,
    call: &FrozenCall,
    question: &Question,
    cancel: &CancellationToken,
) -> Answer {
    let mut loosened = shared.loosened.subscribe();
    if let Some(by) = covered(shared, call) {
        let ruling = shared.rule(call);
        let entries = shared.recorder.called_and_decided(call, &ruling);
        shared.recorder.note(entries);
        return Answer::Approved(by.into_approval());
    }
    if let Err(error) = shared.recorder.check()
        && !only_reads(call)
    {
        // A yes could not let it run, so nobody is troubled.
        return Answer::Refused(refusal::not_recorded(&error));
    }
    let number = shared.next_question.fetch_add(1, Ordering::Relaxed);
    let id: Arc<str> = format!("{}-{number}", shared.recorder.run()).into();
    if !shared.approver.is_there() {
        let open = Open::new(shared, call, id, None);
        let refusal = refusal::nobody_there(call, &question.reason);
        return open.refused(ApprovalDecision::NoUi, &nobody(), refusal);
    }
    let request = question::request(shared, call, question, id.clone());
    let open = Open::new(shared, call, id, Some(request.display_sha256()));
    let heard = hear(shared, call, &request, (&mut loosened, cancel)).await;
    open.closed(heard, &request)
}

fn nobody() -> Reply {
    Reply::new(ReplyAnswer::Unavailable)
}

/// What ends a question.
enum Heard {
    Reply(Reply),
    Covered(Covered),
    TimedOut,
    Cancelled,
}

async fn hear(
    shared: &Shared,
    call: &FrozenCall,
    request: &ApprovalRequest,
    (loosened, cancel): (&mut watch::Receiver<u64>, &CancellationToken),
) -> Heard {
    let mut answered = shared.answered.subscribe();
    let taken_back = cancel.child_token();
    let asking = shared.approver.ask(request, &taken_back);
    let deadline = tokio::time::sleep(request.timeout);
    tokio::pin!(asking, deadline);
    let heard = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Heard::Cancelled,
            // First, so that a front end with one question at a time does not begin another for nothing.
            _ = loosened.changed() => {
                if let Some(by) = covered(shared, call) {
                    break Heard::Covered(by);
                }
            }
            reply = &mut asking => return Heard::Reply(reply),
            // Somebody is there and answers one question after the other.
            _ = answered.changed() => deadline.as_mut().reset(Instant::now() + request.timeout),
            () = &mut deadline => break Heard::TimedOut,
        }
    };
    // Before the result is shown. Of what may still be said there, only a no counts.
    taken_back.cancel();
    match tokio::time::timeout(LEAVE_TIME, asking).await {
        Ok(reply) if reply.answer == ReplyAnswer::Deny => Heard::Reply(reply),
        _ => heard,
    }
}

/// What allows a call that had to be asked about when it was decided on; `commit` looks whether it
/// still does.
enum Covered {
    /// A rule or the mode, by its name.
    Rule(Arc<str>),
    /// What was allowed for the session, by its approval.
    Session(Arc<str>),
}

impl Covered {
    fn decision(&self) -> ApprovalDecision {
        match self {
            Self::Rule(_) => ApprovalDecision::AllowRule,
            Self::Session(_) => ApprovalDecision::AllowSession,
        }
    }

    fn into_approval(self) -> Approval {
        let (Self::Rule(name) | Self::Session(name)) = self;
        Approval(name)
    }
}

fn covered(shared: &Shared, call: &FrozenCall) -> Option<Covered> {
    let decision = shared.rule(call).decision;
    match decision.verdict {
        PolicyVerdict::Allow => Some(Covered::Rule(decision.rule_id().into())),
        PolicyVerdict::Ask => shared.granted(call).map(Covered::Session),
        PolicyVerdict::Deny => None,
    }
}

/// A question that stands; dropped without an answer, it is recorded as taken back.
struct Open<'a> {
    shared: &'a Arc<Shared>,
    call: &'a FrozenCall,
    id: Arc<str>,
    /// The hash of what was shown, if anything was.
    display_sha256: Option<Sha256Hash>,
    asked_at: Timestamp,
    is_settled: bool,
}

impl<'a> Open<'a> {
    fn new(
        shared: &'a Arc<Shared>,
        call: &'a FrozenCall,
        id: Arc<str>,
        display_sha256: Option<Sha256Hash>,
    ) -> Self {
        let open = Self {
            shared,
            call,
            id,
            display_sha256,
            asked_at: Timestamp::now(),
            is_settled: false,
        };
        let mut entries = shared.recorder.called_and_decided(call, &shared.rule(call));
        entries.push(Entry::approval_asked(
            shared.recorder.call_ref(call),
            open.asked(),
        ));
        shared.recorder.note(entries);
        open
    }

    fn asked(&self) -> ApprovalAsked {
        ApprovalAsked {
            approval_id: self.id.clone(),
            channel: self.shared.approver.channel().as_str().into(),
            display_sha256: self.display_sha256,
        }
    }

    fn closed(self, heard: Heard, request: &ApprovalRequest) -> Answer {
        match heard {
            Heard::Reply(reply) => {
                if reply.answer != ReplyAnswer::Unavailable {
                    self.shared.answered.send_modify(|count| *count += 1);
                }
                self.answered(&reply, request)
            }
            Heard::Covered(by) => {
                let decision = by.decision();
                let approval = by.into_approval();
                self.covered_by(decision, &approval.0);
                Answer::Approved(approval)
            }
            Heard::TimedOut => {
                let refusal = refusal::timed_out(request.timeout);
                self.refused(ApprovalDecision::Timeout, &nobody(), refusal)
            }
            // Dropped unsettled, it is recorded as cancelled.
            Heard::Cancelled => Answer::Refused(refusal::cancelled()),
        }
    }

    fn answered(self, reply: &Reply, request: &ApprovalRequest) -> Answer {
        if reply.display_sha256.is_some() && reply.display_sha256 != self.display_sha256 {
            return self.refused(ApprovalDecision::Deny, reply, refusal::shown_otherwise());
        }
        match reply.answer {
            ReplyAnswer::Deny => {
                let refusal = refusal::refused_by_person(reply.comment.as_deref());
                self.refused(ApprovalDecision::Deny, reply, refusal)
            }
            ReplyAnswer::Unavailable => {
                let refusal = refusal::nobody_there(self.call, &request.reason);
                self.refused(ApprovalDecision::NoUi, reply, refusal)
            }
            ReplyAnswer::Session if request.offers_session() => {
                self.allowed(ApprovalDecision::AllowSession, reply, None)
            }
            ReplyAnswer::Always if request.rule_for_always().is_some() => {
                let rule = request.rule_for_always();
                self.allowed(ApprovalDecision::AllowRule, reply, rule)
            }
            // More than was offered is no more than once.
            ReplyAnswer::Once | ReplyAnswer::Session | ReplyAnswer::Always => {
                self.allowed(ApprovalDecision::AllowOnce, reply, None)
            }
        }
    }

    fn allowed(self, decision: ApprovalDecision, reply: &Reply, rule: Option<&str>) -> Answer {
        let approval = self.id.clone();
        self.shared.approvals().add(approval.clone(), self.call);
        self.settled(decision, reply, rule);
        Answer::Approved(Approval(approval))
    }

    fn refused(self, decision: ApprovalDecision, reply: &Reply, refusal: Refusal) -> Answer {
        self.settled(decision, reply, None);
        Answer::Refused(refusal)
    }

    fn covered_by(mut self, decision: ApprovalDecision, approval: &str) {
        self.is_settled = true;
        let entry = Entry::approval(
            self.shared.recorder.call_ref(self.call),
            self.answer(decision, &nobody(), None),
            self.shared.policy().version(),
        );
        self.shared
            .recorder
            .note(vec![entry.detail("covered_by", approval)]);
    }

    fn settled(mut self, decision: ApprovalDecision, reply: &Reply, rule: Option<&str>) {
        self.is_settled = true;
        self.record(decision, reply, rule);
        match decision {
            ApprovalDecision::AllowSession => {
                let approval = self.id.clone();
                self.shared.session_grants().add(self.call, approval);
                self.shared.loosened.send_modify(|count| *count += 1);
            }
            ApprovalDecision::AllowRule => self.store(rule.unwrap_or_default()),
            _ => {}
        }
    }

    /// Stores a rule for good and lets it hold from now on.
    fn store(&self, rule: &str) {
        let shared = self.shared;
        let stored = shared.store_rule(rule, &self.id);
        let mut fault = None;
        shared.change_policy(|policy| {
            let with = policy.with_rules(Tier::Stored, [rule]);
            with.map_err(|faults| fault = Some(faults)).ok()
        });
        // Only now: the approver may ask the gate something while it is told.
        if let Some(faults) = fault {
            let text = format!("the rule cannot hold: {faults}");
            shared.approver.tell(&text);
        }
        if let Err(error) = stored {
            let text =
                format!("the rule holds for this session only, it could not be stored: {error}");
            shared.approver.tell(&text);
        }
    }

    fn record(&self, decision: ApprovalDecision, reply: &Reply, rule: Option<&str>) {
        let entry = Entry::approval(
            self.shared.recorder.call_ref(self.call),
            self.answer(decision, reply, rule),
            self.shared.policy().version(),
        );
        self.shared.recorder.note(vec![entry]);
    }

    fn answer(
        &self,
        decision: ApprovalDecision,
        reply: &Reply,
        rule: Option<&str>,
    ) -> ApprovalAnswer {
        ApprovalAnswer {
            asked: self.asked(),
            decision,
            asked_at: self.asked_at,
            answered_at: Timestamp::now(),
            user: reply.user.clone(),
            rule_created: rule.map(Into::into),
            comment: reply.comment.as_deref().map(Into::into),
            verified: reply.display_sha256.is_some() && reply.display_sha256 == self.display_sha256,
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.record(ApprovalDecision::Cancelled, &nobody(), None);
        }
    }
}
