//! Serving a client: lines in, answers out.

mod attached;

use std::future::poll_fn;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::task::Poll;
use std::time::Duration;

use deed_agent::{Caught, DrainMode};
use deed_extensions::{SessionShutdownEvent, SessionStartEvent, ShutdownReason, StartReason};
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::command::{self, Call, Command};
use crate::fields::Fields;
use crate::refusal::Refusal;
use crate::response::Response;
use crate::{Client, Hosted, Line, Lines, SessionHost, Wanted};

pub(crate) use attached::Attached;

/// Commands that may be under way at once; a client that sends more does not wait for answers.
const MAX_UNDER_WAY: usize = 128;

/// How long commands may take to end once the client is gone. A call that ignores that it was
/// cancelled is let go earlier.
const END_GRACE: Duration = Duration::from_secs(10);

/// How a client is served.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// Whether `tool_execution_*` carry the cards of calls.
    pub with_cards: bool,
    /// Ends the serving.
    pub stop: CancellationToken,
}

/// What a client set, which holds for the sessions that it goes to as well.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) steering: Option<DrainMode>,
    pub(crate) follow_up: Option<DrainMode>,
    pub(crate) auto_compaction: Option<bool>,
    pub(crate) auto_retry: Option<bool>,
}

/// Why a session takes the place of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Switch {
    New,
    Resume,
    Fork,
}

impl Switch {
    fn reasons(self) -> (ShutdownReason, StartReason) {
        match self {
            Self::New => (ShutdownReason::New, StartReason::New),
            Self::Resume => (ShutdownReason::Resume, StartReason::Resume),
            Self::Fork => (ShutdownReason::Fork, StartReason::Fork),
        }
    }
}

/// What all commands share.
pub(crate) struct Server {
    pub(crate) host: Arc<dyn SessionHost>,
    /// Held while another session is put in place.
    pub(crate) switching: tokio::sync::Mutex<()>,
    pub(crate) client: Client,
    /// Ends the serving from within.
    pub(crate) ending: CancellationToken,
    current: RwLock<Arc<Attached>>,
    wishes: Mutex<Wishes>,
    with_cards: bool,
}

/// Serves a client until its lines end, it reads no more, or it is told to stop; then what goes on is
/// cancelled and the session closed.
///
/// Commands begin in the order in which they come, and end when they end: an answer has the id of
/// its command.
pub async fn serve(
    client: Client,
    mut lines: Lines,
    host: Arc<dyn SessionHost>,
    first: Hosted,
    options: ServeOptions,
) {
    let attached = Attached::new(first, client.outlet(), options.with_cards);
    let late = Arc::downgrade(&host);
    client.on_late_answer(move |approval, answer| {
        if let Some(host) = late.upgrade() {
            host.late_answer(approval, answer);
        }
    });
    let server = Arc::new(Server {
        host,
        switching: tokio::sync::Mutex::default(),
        current: RwLock::new(Arc::new(attached)),
        wishes: Mutex::default(),
        with_cards: options.with_cards,
        ending: CancellationToken::new(),
        client,
    });
    server.client.is_served_by(&server);
    let mut commands = JoinSet::new();
    begin(server.clone().tell_first_start(), &mut commands).await;
    loop {
        let line = tokio::select! {
            biased;
            () = options.stop.cancelled() => break,
            () = server.ending.cancelled() => break,
            () = server.client.gone() => break,
            line = lines.next() => line,
        };
        let Some(line) = line else { break };
        server.take(line, &mut commands).await;
    }
    server.end(commands).await;
}

impl Server {
    /// Returns the session that the client acts on.
    pub(crate) fn current(&self) -> Arc<Attached> {
        let current = self.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what the client wants of this and of later sessions.
    pub(crate) fn wish(&self, at: &Attached, change: impl FnOnce(&mut Wishes)) {
        let wishes = {
            let mut wishes = self.wishes.lock().unwrap_or_else(PoisonError::into_inner);
            change(&mut wishes);
            *wishes
        };
        wishes.apply(at);
    }

    /// Opens another session, closes the present one and puts the other in its place. Extensions of
    /// both hear why.
    ///
    /// Errors: it cannot be opened; the present one goes on.
    pub(crate) async fn switch_to(&self, wanted: Wanted, why: Switch) -> Result<(), Refusal> {
        let hosted = self.host.open(wanted).await?;
        let old = self.current();
        let previous_session_file = old.session.session_file();
        let (ends, begins) = why.reasons();
        let shutdown = SessionShutdownEvent {
            reason: ends,
            target_session_file: hosted.session.session_file(),
        };
        old.close(shutdown).await;
        self.attach(hosted, begins, previous_session_file).await;
        Ok(())
    }

    /// Puts a session in place and tells its extensions that it starts.
    pub(crate) async fn attach(
        &self,
        hosted: Hosted,
        reason: StartReason,
        previous_session_file: Option<PathBuf>,
    ) {
        let new = Attached::new(hosted, self.client.outlet(), self.with_cards);
        let new = Arc::new(new);
        let wishes = *self.wishes.lock().unwrap_or_else(PoisonError::into_inner);
        wishes.apply(&new);
        self.put_in_place(new.clone());
        let start = SessionStartEvent {
            reason,
            previous_session_file,
        };
        new.begin(start).await;
    }

    fn put_in_place(&self, new: Arc<Attached>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = new;
    }

    /// Tells extensions that the first session starts, now that the client hears what they do then.
    async fn tell_first_start(self: Arc<Self>) {
        let _switching = self.switching.lock().await;
        let start = SessionStartEvent::default();
        self.current().begin(start).await;
    }

    /// Takes a line; returns when what it asks for has begun.
    async fn take(self: &Arc<Self>, line: Line, commands: &mut JoinSet<()>) {
        let read = match line {
            Line::Whole(bytes) => Fields::read(&bytes),
            Line::TooLong(bytes) => Err(format!("a line of {bytes} bytes is too long")),
        };
        let fields = match read {
            Ok(fields) => fields,
            Err(error) => return self.refuse(None, "parse", error).await,
        };
        let (kind, id) = match (fields.kind(), fields.id()) {
            (Ok(kind), _) if kind == "extension_ui_response" => {
                return self.client.take_answer(fields);
            }
            (Ok(kind), Ok(id)) => (kind, id),
            (Ok(kind), Err(error)) => return self.refuse(None, &kind, error.to_string()).await,
            (Err(error), id) => {
                let id = id.unwrap_or_default();
                return self.refuse(id.as_deref(), "parse", error.to_string()).await;
            }
        };
        while commands.try_join_next().is_some() {}
        let refused = match command::find(&kind) {
            None => Err(Refusal::Unknown {
                like: command::nearest(&kind),
                name: shortened(&kind),
            }),
            Some(_) if commands.len() >= MAX_UNDER_WAY => Err(Refusal::TooMany(MAX_UNDER_WAY)),
            Some(command) => Ok(command),
        };
        match refused {
            Ok(command) => {
                let server = self.clone();
                begin(server.carry_out(command, id, fields), commands).await;
            }
            Err(error) => self.refuse(id.as_deref(), &kind, error.to_string()).await,
        }
    }

    async fn refuse(&self, id: Option<&RawValue>, command: &str, error: String) {
        let response = Response::failed(id, command, error);
        self.client.outlet().record(&response).await;
    }

    /// Carries a command out and answers it.
    async fn carry_out(
        self: Arc<Self>,
        command: &'static Command,
        id: Option<Box<RawValue>>,
        fields: Fields,
    ) {
        if command.waits_for_switch {
            drop(self.switching.lock().await);
        }
        let call = Call {
            server: self.clone(),
            at: self.current(),
            fields,
        };
        let answered = Caught::new(|| (command.run)(call)).await;
        let id = id.as_deref();
        match answered.unwrap_or_else(|panic| Err(Refusal::Panicked(panic))) {
            Ok(answer) => {
                let response = Response::done(id, command.name, &answer);
                self.client.outlet().record(&response).await;
                answer.go_on().await;
            }
            Err(error) => self.refuse(id, command.name, error.to_string()).await,
        }
    }

    /// Ends what goes on, then the session.
    async fn end(&self, mut commands: JoinSet<()>) {
        self.client.leave();
        self.current().stop();
        let all = async { while commands.join_next().await.is_some() {} };
        tokio::time::timeout(END_GRACE, all).await.ok();
        commands.shutdown().await;
        self.current().close(SessionShutdownEvent::default()).await;
    }
}

/// Begins a command: what it does before it first waits is done before the next line is read.
async fn begin(work: impl Future<Output = ()> + Send + 'static, commands: &mut JoinSet<()>) {
    // A panic behind the answer must not end the serving.
    let mut work = Box::pin(Caught::new(|| Box::pin(work)));
    let first = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    if first.is_pending() {
        commands.spawn(async move {
            work.await.ok();
        });
    }
}

impl Wishes {
    fn apply(self, at: &Attached) {
        let mut modes = at.drain_modes();
        modes.steering = self.steering.unwrap_or(modes.steering);
        modes.follow_up = self.follow_up.unwrap_or(modes.follow_up);
        at.set_drain_modes(modes);
        if let Some(enabled) = self.auto_compaction {
            at.session.set_auto_compaction(enabled);
        }
        if let Some(enabled) = self.auto_retry {
            at.session.set_auto_retry(enabled);
        }
    }
}

fn shortened(name: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    match name.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()),
        None => name.to_owned(),
    }
}
