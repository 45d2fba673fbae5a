//! The client on the other end: what it is told, and the questions that it has not answered.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use deed_tooling::AskOptions;
use serde::Serialize;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::fields::Fields;
use crate::output::Outlet;
use crate::server::Server;
use crate::{LineSink, RpcApprover, RpcControl, RpcUi};

/// Approvals that no longer stand, and whose late answers are still known for what they are.
const MAX_REMEMBERED: usize = 64;

/// The program on the other end. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    outlet: Outlet,
    questions: Mutex<Questions>,
    next_number: AtomicU64,
    on_late_answer: Mutex<Option<OnLateAnswer>>,
    server: Mutex<Weak<Server>>,
}

/// Told the approval and the answer that came too late for it.
type OnLateAnswer = Arc<dyn Fn(&str, &str) + Send + Sync>;

#[derive(Default)]
struct Questions {
    open: HashMap<String, oneshot::Sender<Fields>>,
    /// Approvals that were taken back, by the id of their question, oldest first.
    taken_back: VecDeque<(String, Arc<str>)>,
}

/// A question as it is sent.
#[derive(Serialize)]
struct Request<'a, B> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    #[serde(flatten)]
    body: &'a B,
}

impl Client {
    /// Makes a client that is told by `sink`.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(sink: Arc<dyn LineSink>) -> Self {
        Self(Arc::new(Inner {
            outlet: Outlet::new(sink),
            questions: Mutex::default(),
            next_number: AtomicU64::new(1),
            on_late_answer: Mutex::default(),
            server: Mutex::default(),
        }))
    }

    /// Returns the way to the person behind the client, for tools and extensions.
    pub fn ui(&self) -> RpcUi {
        RpcUi(self.clone())
    }

    /// Returns the way to the person behind the client, for approvals.
    pub fn approver(&self) -> RpcApprover {
        RpcApprover(self.clone())
    }

    /// Returns what extensions may ask of the program that serves the client.
    pub fn control(&self) -> RpcControl {
        RpcControl(self.clone())
    }

    pub(crate) fn is_served_by(&self, server: &Arc<Server>) {
        let mut serves = self.0.server.lock().unwrap_or_else(PoisonError::into_inner);
        *serves = Arc::downgrade(server);
    }

    pub(crate) fn server(&self) -> Option<Arc<Server>> {
        let serves = self.0.server.lock().unwrap_or_else(PoisonError::into_inner);
        serves.upgrade()
    }

    pub(crate) fn outlet(&self) -> &Outlet {
        &self.0.outlet
    }

    /// Tells whether it can answer.
    pub(crate) fn is_there(&self) -> bool {
        !self.0.outlet.gone().is_cancelled()
    }

    /// Gives up on all its answers, those that are waited for too.
    pub(crate) fn leave(&self) {
        self.0.outlet.gone().cancel();
        *self.late() = None;
    }

    /// Waits until it is gone.
    pub(crate) async fn gone(&self) {
        self.0.outlet.gone().cancelled().await;
    }

    pub(crate) fn on_late_answer(&self, hears: impl Fn(&str, &str) + Send + Sync + 'static) {
        *self.late() = Some(Arc::new(hears));
    }

    fn late(&self) -> MutexGuard<'_, Option<OnLateAnswer>> {
        let late = self.0.on_late_answer.lock();
        late.unwrap_or_else(PoisonError::into_inner)
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        let questions = self.0.questions.lock();
        questions.unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> String {
        let number = self.0.next_number.fetch_add(1, Ordering::Relaxed);
        format!("ui-{number}")
    }

    /// Asks, and waits for the answer; `None` if none comes in time. `approval` is the id of the
    /// approval that is asked for, if it is one.
    pub(crate) async fn ask(
        &self,
        body: &impl Serialize,
        options: &AskOptions,
        approval: Option<Arc<str>>,
    ) -> Option<Fields> {
        let is_taken_back = |cancel: &CancellationToken| cancel.is_cancelled();
        if !self.is_there() || options.cancel.as_ref().is_some_and(is_taken_back) {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        let id = self.next_id();
        self.questions().open.insert(id.clone(), answer);
        let standing = Standing {
            client: self,
            id,
            approval,
        };
        let request = Request {
            kind: "extension_ui_request",
            id: &standing.id,
            body,
        };
        let asking = async {
            match self.0.outlet.record(&request).await {
                true => answered.await.ok(),
                false => None,
            }
        };
        tokio::select! {
            biased;
            () = self.gone() => None,
            () = options.lapsed() => None,
            answer = asking => answer,
        }
    }

    /// Tells something that needs no answer.
    pub(crate) fn tell(&self, body: &impl Serialize) {
        let request = Request {
            kind: "extension_ui_request",
            id: &self.next_id(),
            body,
        };
        self.0.outlet.remark(&request);
    }

    /// Takes an answer. One to no question is ignored, but for those to approvals that were taken
    /// back, which are on record.
    pub(crate) fn take_answer(&self, answer: Fields) {
        let Some(id) = answer.lenient::<String>("id") else {
            return;
        };
        let mut questions = self.questions();
        if let Some(asker) = questions.open.remove(&id) {
            // Who asked may have left just now.
            asker.send(answer).ok();
            return;
        }
        let late = questions.taken_back.iter().position(|(of, _)| *of == id);
        let late = late.and_then(|at| questions.taken_back.remove(at));
        drop(questions);
        let hears = self.late().clone();
        if let (Some((_, approval)), Some(hears)) = (late, hears) {
            let said = answer.lenient("value");
            hears(&approval, &said.unwrap_or_else(|| "cancelled".to_owned()));
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("is_there", &self.is_there())
            .finish_non_exhaustive()
    }
}

/// A question that was sent; dropped before the answer, the client is told that it no longer stands.
struct Standing<'a> {
    client: &'a Client,
    id: String,
    approval: Option<Arc<str>>,
}

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        let mut questions = self.client.questions();
        if questions.open.remove(&self.id).is_none() {
            return;
        }
        if let Some(approval) = self.approval.take() {
            if questions.taken_back.len() == MAX_REMEMBERED {
                questions.taken_back.pop_front();
            }
            questions.taken_back.push_back((self.id.clone(), approval));
        }
        drop(questions);
        if self.client.is_there() {
            let closed = serde_json::json!({ "type": "extension_ui_closed", "id": self.id });
            self.client.outlet().remark(&closed);
        }
    }
}
