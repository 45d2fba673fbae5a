use std::collections::HashMap;
use std::sync::Mutex;

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// A person who answers when a test says so, and until then thinks.
#[derive(Default)]
pub(crate) struct Person {
    asked: Mutex<Vec<ApprovalRequest>>,
    open: Mutex<HashMap<String, oneshot::Sender<Reply>>>,
    answers: Mutex<Vec<(String, ReplyAnswer)>>,
    told: Mutex<Vec<String>>,
    is_away: Mutex<bool>,
}

impl Person {
    /// Will answer like that whenever asked about a call that says `word`.
    pub(crate) fn answers(&self, word: &str, answer: ReplyAnswer) {
        self.answers.lock().unwrap().push((word.to_owned(), answer));
    }

    pub(crate) fn goes_away(&self) {
        *self.is_away.lock().unwrap() = true;
    }

    /// Returns what was asked so far.
    pub(crate) fn asked(&self) -> Vec<ApprovalRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until so many questions were put.
    pub(crate) async fn hears(&self, count: usize) -> Vec<ApprovalRequest> {
        while self.asked().len() < count {
            tokio::task::yield_now().await;
        }
        self.asked()
    }

    /// Answers one question; `false` if it no longer stands.
    pub(crate) fn reply(&self, request: &ApprovalRequest, reply: Reply) -> bool {
        let waiting = self.open.lock().unwrap().remove(request.id.as_ref());
        waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
    }
}

impl Approver for Person {
    fn channel(&self) -> Channel {
        Channel::Desktop
    }

    fn is_there(&self) -> bool {
        !*self.is_away.lock().unwrap()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        let (answer, answered) = oneshot::channel();
        let text = request.shown.text();
        let ready = self.answers.lock().unwrap().clone();
        let ready = ready.iter().find(|(word, _)| text.contains(word.as_str()));
        self.asked.lock().unwrap().push(request.clone());
        match ready {
            Some((_, given)) => drop(answer.send(Reply::new(*given))),
            None => {
                let mut open = self.open.lock().unwrap();
                open.insert(request.id.to_string(), answer);
            }
        }
        Box::pin(async move { answered.await.unwrap() })
    }

    fn tell(&self, message: &str) {
        self.told.lock().unwrap().push(message.to_owned());
    }
}
