//! Commands that a person or a client program runs beside the model, and that the model may read of.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deed_agent::{Redactor, ToolError};
use deed_extensions::{UserBashEvent, UserBashReply, UserBashResult};
use deed_guard::{GuardGate, PersonCommand, PersonGrant, PersonOutcome};
use deed_protocol::{BashExecutionMessage, EventBody, Extra, Message};
use deed_tooling::{TextLimits, truncate_tail};
pub use deed_tools::RanCommand;
use deed_tools::{Listener, PersonShell};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::AgentSession;

/// Pieces of output that may wait to be told before the command waits.
const MAX_WAITING: usize = 8;

/// As [`MAX_WAITING`], of a command that runs elsewhere; what is more is not told, but is in the
/// result.
const MAX_WAITING_ELSEWHERE: usize = 1024;

/// A command to run.
#[derive(Clone, Debug, Default)]
pub struct BashRequest {
    /// The command line.
    pub command: String,
    /// Whether models never see it.
    pub exclude_from_context: bool,
    /// The client's name for it, which goes with its output.
    pub id: Option<String>,
}

/// Why there is no result of a command.
#[derive(Debug, thiserror::Error)]
pub enum BashError {
    /// A rule denies it, or it cannot be recorded.
    #[error("{0}")]
    Refused(String),
    /// An extension that has a say in it failed, or let it fail.
    #[error("the command did not run: {0}")]
    Extension(String),
    /// It ran where an extension wanted it, and failed there.
    #[error("the command failed where it ran: {0}")]
    Elsewhere(ToolError),
    /// It did not run.
    #[error(transparent)]
    NotRun(#[from] ToolError),
    /// It ran, and the record of the session does not say so.
    #[error("the command ran, but the session could not be written: {0}")]
    NotRecorded(#[from] deed_session::SessionError),
}

/// The shell of a session, and what it ran that is not in the transcript yet.
pub(crate) struct PersonCommands {
    shell: PersonShell,
    guard: Option<GuardGate>,
    /// What ended during a run: it must not stand between calls and their results.
    ///
    /// Held by who begins a prompt, so that putting this into the transcript never looks like one.
    waiting: Mutex<Vec<Arc<Message>>>,
    next_number: AtomicUsize,
}

impl PersonCommands {
    pub(crate) fn new(shell: PersonShell, guard: Option<GuardGate>) -> Self {
        Self {
            shell,
            guard,
            waiting: Mutex::default(),
            next_number: AtomicUsize::new(1),
        }
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, Vec<Arc<Message>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentSession {
    /// Runs a command of a person in the shell of the `bash` tool, tells its output as
    /// `bash_execution_update` events, and puts it into the transcript: at once, or when the run that
    /// is under way has ended.
    ///
    /// Nobody is asked: who wants a command run has decided. Under a guard, rules that deny hold all
    /// the same, and the command is on the audit record before it runs. Extensions that hear of
    /// `user_bash` come then: one may have run it, or run it elsewhere.
    ///
    /// Errors: a rule denies it; an extension failed; it could not be started, or not be recorded. A
    /// command that failed is no error.
    ///
    /// Cancellation: the command and all that it started are ended; what it printed counts.
    pub async fn run_bash(
        &self,
        request: BashRequest,
        cancel: &CancellationToken,
    ) -> Result<RanCommand, BashError> {
        let commands = &self.source.commands;
        let number = commands.next_number.fetch_add(1, Ordering::Relaxed);
        let stem = format!("user-{number}");
        let grant = self.admit(&request.command, &stem).await?;
        let began = Instant::now();
        let ran = self.run_somewhere(&request, &stem, cancel).await;
        if let Some(grant) = grant {
            settle(grant, &ran, began.elapsed());
        }
        let ran = ran?;
        let message = self.message_of(request, &ran);
        commands.waiting().push(Arc::new(message));
        self.take_in_commands()?;
        Ok(ran)
    }

    /// Runs a command where extensions want it, or in the shell.
    async fn run_somewhere(
        &self,
        request: &BashRequest,
        stem: &str,
        cancel: &CancellationToken,
    ) -> Result<RanCommand, BashError> {
        let shell = &self.source.commands.shell;
        match self.asked_extensions(request, cancel).await? {
            UserBashReply::Result(result) => Ok(ran_by(result, &*self.source.redactor)),
            UserBashReply::Operations(operations) => {
                let (pieces, heard) = mpsc::channel(MAX_WAITING_ELSEWHERE);
                // Whoever prints must not wait: it may be what those wait for who listen.
                let listener: Listener = Box::new(move |text| drop(pieces.try_send(text)));
                let (command, cwd) = (&request.command, self.env.cwd());
                let run = |output| operations.exec(command, cwd, output, cancel);
                let running = shell.run_elsewhere(stem, listener, run, cancel);
                let (ran, ()) = tokio::join!(running, self.tell_output(heard, &request.id));
                ran.map_err(BashError::Elsewhere)
            }
            UserBashReply::Continue => {
                let (pieces, heard) = mpsc::channel(MAX_WAITING);
                let listener = listener(pieces, cancel.clone());
                let running = shell.run(&request.command, stem, listener, cancel);
                let (ran, ()) = tokio::join!(running, self.tell_output(heard, &request.id));
                Ok(ran?)
            }
        }
    }

    async fn asked_extensions(
        &self,
        request: &BashRequest,
        cancel: &CancellationToken,
    ) -> Result<UserBashReply, BashError> {
        if !self.extensions.listens_to::<UserBashEvent>() {
            return Ok(UserBashReply::Continue);
        }
        let event = UserBashEvent {
            command: request.command.clone(),
            exclude_from_context: request.exclude_from_context,
            cwd: self.env.cwd().into(),
        };
        let asked = self.extensions.user_bash(event, cancel).await;
        asked.map_err(BashError::Extension)
    }

    /// Lets the guard have its say, if there is one.
    async fn admit(&self, command: &str, id: &str) -> Result<Option<PersonGrant>, BashError> {
        let Some(guard) = &self.source.commands.guard else {
            return Ok(None);
        };
        let cwd = self.env.cwd();
        let real = self.env.resolve(cwd).await;
        let command = PersonCommand {
            id,
            command,
            cwd: real.as_ref().map_or(cwd, |real| real.as_path()),
        };
        let admitted = guard.admit_command(&command).await;
        let grant = admitted.map_err(|refusal| BashError::Refused(refusal.reason))?;
        Ok(Some(grant))
    }

    async fn tell_output(&self, mut heard: mpsc::Receiver<String>, id: &Option<String>) {
        while let Some(delta) = heard.recv().await {
            let id = id.clone();
            let event = EventBody::BashExecutionUpdate { id, delta };
            self.bus.emit(event).await;
        }
    }

    fn message_of(&self, request: BashRequest, ran: &RanCommand) -> Message {
        let path = ran.full_output_path.as_ref();
        Message::BashExecution(BashExecutionMessage {
            command: request.command,
            output: ran.output.clone(),
            exit_code: ran.exit_code,
            cancelled: ran.is_cancelled,
            truncated: ran.is_truncated,
            full_output_path: path.map(|path| path.display().to_string()),
            timestamp: (self.source.now_ms)(),
            exclude_from_context: request.exclude_from_context.then_some(true),
            extra: Extra::new(),
        })
    }

    /// Puts commands that have ended into the transcript, unless a prompt is under way, whose end
    /// does so then.
    pub(crate) fn take_in_commands(&self) -> Result<(), deed_session::SessionError> {
        let mut waiting = self.source.commands.waiting();
        if waiting.is_empty() {
            return Ok(());
        }
        let Some(_prompting) = self.begin_prompt_holding(&waiting) else {
            return Ok(());
        };
        let mut messages = self.agent.messages();
        messages.extend(waiting.iter().cloned());
        if self.agent.set_messages(messages).is_err() {
            return Ok(());
        }
        let mut recorded = Ok(());
        for message in waiting.drain(..) {
            if let (Some(journal), Ok(())) = (&self.source.journal, &recorded) {
                recorded = journal.append(&message);
            }
        }
        recorded
    }
}

/// Tells the record what came of a command.
fn settle(grant: PersonGrant, ran: &Result<RanCommand, BashError>, elapsed: Duration) {
    let ran = match ran {
        Ok(ran) => ran,
        // What it did before nobody knows.
        Err(BashError::Elsewhere(error)) => {
            return grant.ended(PersonOutcome {
                code: Some("failed"),
                output: &error.to_string(),
                truncated: false,
                elapsed,
            });
        }
        Err(_) => return grant.void(),
    };
    let code = match (ran.is_cancelled, ran.exit_code) {
        (true, _) => Some("cancelled"),
        (_, None) => Some("timeout"),
        (_, Some(0)) => None,
        (_, Some(_)) => Some("failed"),
    };
    grant.ended(PersonOutcome {
        code,
        output: &ran.output,
        truncated: ran.is_truncated,
        elapsed,
    });
}

/// Takes what an extension says of a command that it ran: within bounds, without known secrets.
fn ran_by(result: UserBashResult, redactor: &dyn Redactor) -> RanCommand {
    let mut output = serde_json::Value::String(result.output);
    redactor.redact_value(&mut output);
    let output = output.as_str().unwrap_or_default();
    let shown = truncate_tail(output, TextLimits::default());
    RanCommand {
        exit_code: result.exit_code,
        is_cancelled: result.cancelled,
        is_truncated: result.truncated || shown.truncation.truncated,
        full_output_path: result.full_output_path,
        output: shown.text.to_owned(),
    }
}

/// Hands output on, and lets the command wait for who hears it until it is cancelled.
fn listener(pieces: mpsc::Sender<String>, cancel: CancellationToken) -> Listener {
    let runtime = Handle::current();
    Box::new(move |text| {
        let Err(mpsc::error::TrySendError::Full(text)) = pieces.try_send(text) else {
            return;
        };
        runtime.block_on(async {
            tokio::select! {
                biased;
                // Nobody hears the rest; it is in the result.
                () = cancel.cancelled() => {}
                _ = pieces.send(text) => {}
            }
        });
    })
}
