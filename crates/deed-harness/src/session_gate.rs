use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use deed_agent::{
    Allowed, Answer, BoxFuture, CallOutcome, Committed, FrozenCall, Gate, Question, Refusal,
    TurnedAway, Verdict,
};
use deed_protocol::{ToolCall, ToolResult};
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;

/// The session's part in what may run: nothing runs before the record says that it starts. It counts
/// what was refused.
pub(crate) struct SessionGate {
    pub(crate) inner: Arc<dyn Gate>,
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) refused: Arc<AtomicUsize>,
}

impl SessionGate {
    /// Writes down what was granted; if that fails, nothing of it runs.
    fn record(&self, committed: &mut [Committed]) {
        let Some(journal) = &self.journal else {
            return;
        };
        let granted = committed.iter().filter(|one| one.grant.is_ok());
        let calls: Vec<_> = granted.map(|one| one.call.clone()).collect();
        let Err(error) = journal.started(&calls) else {
            return;
        };
        for one in committed.iter_mut().filter(|one| one.grant.is_ok()) {
            // Dropping the grant makes it void, which is on the audit record.
            one.grant = Err(Refusal {
                reason: format!(
                    "The call was not run, because the session cannot be recorded: {error}"
                ),
            });
        }
    }

    fn count(&self, refused: usize) {
        self.refused.fetch_add(refused, Ordering::Relaxed);
    }
}

impl Gate for SessionGate {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        Box::pin(async move {
            let verdict = self.inner.decide(call).await;
            self.count(usize::from(matches!(verdict, Verdict::Deny(_))));
            verdict
        })
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            let answer = self.inner.ask(call, question, cancel).await;
            self.count(usize::from(matches!(answer, Answer::Refused(_))));
            answer
        })
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        Box::pin(async move {
            let mut committed = self.inner.commit(batch).await;
            self.record(&mut committed);
            self.count(committed.iter().filter(|one| one.grant.is_err()).count());
            committed
        })
    }

    fn outcome<'a>(
        &'a self,
        call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        self.inner.outcome(call, outcome)
    }

    fn progress(&self, call: &FrozenCall, partial: &ToolResult) {
        self.inner.progress(call, partial);
    }

    fn turned_away(&self, call: &ToolCall, why: &TurnedAway<'_>) {
        self.inner.turned_away(call, why);
    }
}
