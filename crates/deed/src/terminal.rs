//! Asking at the terminal, whatever standard input and output are.

mod dialogs;
mod hidden;
mod prompt;
mod tty;

use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio_util::sync::CancellationToken;

use crate::text::Look;
use tty::{Heard, Tty};

pub(crate) use hidden::ask_hidden;

/// Puts questions one after the other before the person at the terminal: approvals of calls, and what
/// extensions want to know.
///
/// The terminal itself is opened, so standard input stays data and standard output stays results.
pub(crate) struct Terminal {
    look: Look,
    /// Held while a question is on the screen.
    turn: Arc<Mutex<()>>,
    user: Option<Arc<str>>,
}

impl Terminal {
    pub(crate) fn new(look: Look, user: Option<String>) -> Self {
        Self {
            look,
            turn: Arc::default(),
            user: user.map(Into::into),
        }
    }

    /// Talks to the person when it is its turn; `None` if nobody is there or it is no longer wanted.
    async fn in_turn<T: Send + 'static>(
        &self,
        cancel: &CancellationToken,
        talk: impl FnOnce(&Tty, &Look, &CancellationToken) -> T + Send + 'static,
    ) -> Option<(T, OwnedMutexGuard<()>)> {
        let turn = tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            turn = self.turn.clone().lock_owned() => turn,
        };
        let tty = Tty::open().ok().filter(Tty::is_ours)?;
        let look = self.look.clone();
        // Dropped with this future: the thread then stops waiting for a line.
        let stop = cancel.child_token();
        let _guard = stop.clone().drop_guard();
        let talking = tokio::task::spawn_blocking(move || {
            let _question = look.begin_question();
            // What was typed before the question was there is no answer to it.
            tty.forget_typed();
            let said = talk(&tty, &look, &stop);
            // The turn goes on when the answer is heard, which may cover the next question. If nobody
            // hears it any more, it goes on when this thread has left the terminal.
            (said, turn)
        });
        talking.await.ok()
    }

    async fn ask_in_turn(&self, request: &ApprovalRequest, cancel: &CancellationToken) -> Reply {
        let asked = request.clone();
        let asking = self.in_turn(cancel, move |tty, look, stop| {
            converse(tty, &asked, look, stop)
        });
        let Some((mut reply, _turn)) = asking.await else {
            return Reply::new(ReplyAnswer::Unavailable);
        };
        reply.user = self.user.clone();
        reply
    }
}

impl Approver for Terminal {
    fn channel(&self) -> Channel {
        Channel::Tty
    }

    fn is_there(&self) -> bool {
        Tty::open().is_ok_and(|tty| tty.is_ours())
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        Box::pin(self.ask_in_turn(request, cancel))
    }

    fn tell(&self, message: &str) {
        if let Ok(tty) = Tty::open() {
            tty.say(&format!("deed: {message}\n"));
        }
    }
}

/// Shows the question and reads lines until one of them is an answer.
fn converse(tty: &Tty, request: &ApprovalRequest, look: &Look, stop: &CancellationToken) -> Reply {
    tty.say(&prompt::question(request, look, tty.columns()));
    tty.say(&prompt::choices(request));
    loop {
        tty.say("answer: ");
        let line = match tty.line(stop) {
            Heard::Line(line) => line,
            Heard::Stopped => {
                tty.say("\n(no longer asked)\n");
                return Reply::new(ReplyAnswer::Unavailable);
            }
            Heard::Ended => {
                tty.say("\n");
                return Reply::new(ReplyAnswer::Deny);
            }
            Heard::Gone => return Reply::new(ReplyAnswer::Unavailable),
        };
        match prompt::understand(&line, request) {
            prompt::Said::Reply(mut reply) => {
                reply.display_sha256 = Some(request.display_sha256());
                return reply;
            }
            prompt::Said::Details => {
                tty.say(&prompt::details(request));
                tty.say(&prompt::choices(request));
            }
            prompt::Said::Nothing => tty.say(&prompt::hint(request)),
        }
    }
}
