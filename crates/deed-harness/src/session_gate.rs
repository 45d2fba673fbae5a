use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use deed_agent::{
    Allowed, Answer, BoxFuture, CallOutcome, Committed, FrozenCall, Gate, Question, TurnedAway,
    Verdict,
};
use deed_protocol::{ToolCall, ToolResult};
use tokio_util::sync::CancellationToken;

/// The session's part in what may run: it counts what was refused.
pub(crate) struct SessionGate {
    pub(crate) inner: Arc<dyn Gate>,
    pub(crate) refused: Arc<AtomicUsize>,
}

impl SessionGate {
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
            let committed = self.inner.commit(batch).await;
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
