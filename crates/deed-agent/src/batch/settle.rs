//! From a decision to a grant or a refusal: asking, and committing.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use deed_protocol::ToolResult;
use deed_schema::Sha256Hash;
use tokio_util::sync::CancellationToken;

use super::BatchRunner;
use super::answer::{aborted_result, refused_result};
use super::preflight::Ready;
use crate::caught::Caught;
use crate::grace::within_grace;
use crate::{Allowed, Answer, Approval, FrozenCall, Grant, Refusal, Verdict};

impl BatchRunner {
    /// Asks all open questions of the batch at once, opening them in call order.
    pub(super) async fn ask_all(
        &self,
        waiting: Vec<Ready>,
        cancel: &CancellationToken,
    ) -> Vec<Decided> {
        let mut answers: HashMap<u64, Result<Answer, String>> = HashMap::new();
        let mut open: Vec<_> = waiting
            .iter()
            .filter_map(|ready| {
                let Verdict::Ask(question) = &ready.verdict else {
                    return None;
                };
                let asking = Caught::new(|| self.seams.gate.ask(&ready.frozen, question, cancel));
                Some((ready.frozen.serial(), asking))
            })
            .collect();
        let all_answered = poll_fn(|context| {
            open.retain_mut(|(serial, asking)| match Pin::new(asking).poll(context) {
                Poll::Pending => true,
                Poll::Ready(answer) => {
                    answers.insert(*serial, answer);
                    false
                }
            });
            if open.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        tokio::select! {
            () = all_answered => {}
            () = cancel.cancelled() => {}
        }
        drop(open);
        waiting
            .into_iter()
            .map(|ready| {
                let fate = Fate::after_asking(&ready, &mut answers);
                Decided { ready, fate }
            })
            .collect()
    }

    /// Turns what is allowed into grants, all of the batch in one step.
    pub(super) async fn commit_all(&self, decided: &mut [Decided], cancel: &CancellationToken) {
        if cancel.is_cancelled() {
            return;
        }
        let grace = self.seams.limits.cancel_grace;
        let mut allowed = Vec::new();
        for one in decided.iter_mut() {
            allowed.extend(
                within_grace(cancel, grace, one.look_again())
                    .await
                    .flatten(),
            );
        }
        if allowed.is_empty() {
            return;
        }
        let committing = Caught::new(|| self.seams.gate.commit(allowed));
        let committed = within_grace(cancel, grace, committing).await;
        let committed = committed.and_then(Result::ok).unwrap_or_default();
        // By the very call: numbers may repeat in other runners.
        let mut grants: HashMap<*const FrozenCall, Result<Grant, Refusal>> = committed
            .into_iter()
            .map(|one| (Arc::as_ptr(&one.call), one.grant))
            .collect();
        for one in decided {
            if matches!(one.fate, Fate::Allowed(_)) {
                one.fate = match grants.remove(&Arc::as_ptr(&one.ready.frozen)) {
                    Some(Ok(grant)) => Fate::Granted(grant),
                    Some(Err(refusal)) => Fate::Refused(refusal),
                    None => Fate::Refused(Refusal {
                        reason: "the gate granted nothing for this call".to_owned(),
                    }),
                };
            }
        }
    }
}

/// A call and what was decided about it.
pub(super) struct Decided {
    pub(super) ready: Ready,
    pub(super) fate: Fate,
}

impl Decided {
    /// Measures again what a call would touch that a person was asked about: they may have taken
    /// long, and what they saw may be another thing by now.
    async fn look_again(&mut self) -> Option<Allowed> {
        let Fate::Allowed(approval) = &self.fate else {
            return None;
        };
        let context_now = match approval {
            None => None,
            Some(_) => self.ready.context_now().await,
        };
        Some(Allowed {
            call: self.ready.frozen.clone(),
            approval: approval.clone(),
            context_now,
        })
    }
}

impl Ready {
    /// What cannot be looked at any more, or lies elsewhere, is another thing than what was asked
    /// about.
    async fn context_now(&self) -> Option<Sha256Hash> {
        let planning = Caught::new(|| self.tool.plan(self.frozen.args()));
        let plan = planning.await.ok()?.ok()?;
        let leads_there = plan.access == self.frozen.plan().access;
        leads_there.then(|| plan.context.sha256())
    }
}

/// What is to become of a call.
pub(super) enum Fate {
    Allowed(Option<Approval>),
    Granted(Grant),
    Refused(Refusal),
    Cancelled,
}

impl Fate {
    fn after_asking(ready: &Ready, answers: &mut HashMap<u64, Result<Answer, String>>) -> Self {
        match &ready.verdict {
            Verdict::Allow => Self::Allowed(None),
            Verdict::Deny(refusal) => Self::Refused(refusal.clone()),
            Verdict::Ask(_) => match answers.remove(&ready.frozen.serial()) {
                Some(Ok(Answer::Approved(approval))) => Self::Allowed(Some(approval)),
                Some(Ok(Answer::Refused(refusal))) => Self::Refused(refusal),
                // A question that panicked has no answer, and no answer is a refusal.
                Some(Err(_)) => Self::Refused(Refusal {
                    reason: "asking about this call failed".into(),
                }),
                None => Self::Cancelled,
            },
        }
    }

    pub(super) fn into_result(self, cancel: &CancellationToken) -> ToolResult {
        match self {
            Self::Refused(refusal) if !cancel.is_cancelled() => refused_result(refusal),
            _ => aborted_result(),
        }
    }
}
