//! Prompts, what is queued behind them, and taking them back.

use std::sync::Arc;

use deed_agent::AgentError;
use deed_extensions::{CommandError, InputSource};
use deed_protocol::{ContentBlock, ImageBlock, Message, UserContent};
use serde_json::json;
use tokio::sync::oneshot;

use super::Call;
use crate::fields::Queue;
use crate::picture;
use crate::refusal::Refusal;
use crate::response::{Answer, Answered};
use crate::server::Attached;

/// What became of a prompt.
#[derive(Clone, Copy)]
enum Disposition {
    Started,
    Queued,
    Handled,
}

impl Disposition {
    fn answer(self) -> Answered {
        let word = match self {
            Self::Started => "started",
            Self::Queued => "queued",
            Self::Handled => "handled",
        };
        Answer::of(&json!({ "disposition": word }))
    }
}

/// What a client sends to the model.
struct Said {
    text: String,
    pictures: Vec<ImageBlock>,
}

impl Call {
    fn said(&self) -> Result<Said, Refusal> {
        Ok(Said {
            text: self.fields.required("message")?,
            pictures: self.fields.optional("images")?.unwrap_or_default(),
        })
    }
}

impl Attached {
    /// Writes skills and templates out, and brings pictures into form.
    async fn message(&self, said: Said) -> Result<Message, Refusal> {
        let text = match self.resources().expand(&said.text)? {
            Some(expanded) => expanded.text,
            None => said.text,
        };
        let limits = self.session.image_limits();
        picture::message(text, said.pictures, limits, deed_harness::wall_clock_ms()).await
    }

    /// Runs a command of an extension if that is what the text is.
    async fn run_command(&self, text: &str) -> bool {
        let Some((name, args)) = invocation(text) else {
            return false;
        };
        let _running = self.begin_command().await;
        match self.session.run_command(name, args).await {
            // That it failed is told as `extension_error`.
            Ok(()) | Err(CommandError::Failed { .. }) => true,
            Err(CommandError::Unknown { .. }) => false,
        }
    }

    fn is_command(&self, text: &str) -> bool {
        invocation(text).is_some_and(|(name, _)| {
            let commands = self.session.commands();
            commands.iter().any(|command| command.invocation == name)
        })
    }

    /// Shows a message to extensions, then queues what they leave of it.
    async fn queue(&self, message: Message, queue: Queue) -> Result<Disposition, Refusal> {
        let cancel = self.session.agent().cancellation().child_token();
        let extensions = self.session.extensions();
        let left = extensions
            .input(vec![message], InputSource::Rpc, &cancel)
            .await;
        self.ensure_open()?;
        if left.is_empty() {
            return Ok(Disposition::Handled);
        }
        for message in left {
            match queue {
                Queue::Steer => self.session.steer(message),
                Queue::FollowUp => self.session.follow_up(message),
            }
        }
        Ok(Disposition::Queued)
    }
}

/// Takes `/name args` apart.
fn invocation(text: &str) -> Option<(&str, &str)> {
    let command = text.strip_prefix('/')?;
    let (name, args) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    Some((name, args.trim()))
}

/// Prompts the model; answers as soon as the prompt is accepted, and goes on until it is over.
pub(super) async fn prompt(call: Call) -> Answered {
    let said = call.said()?;
    let queue: Option<Queue> = call.fields.optional("streamingBehavior")?;
    if call.at.run_command(&said.text).await {
        return Disposition::Handled.answer();
    }
    let at = call.at.clone();
    if at.session.is_prompting() {
        let queue = queue.ok_or(Refusal::Streaming)?;
        let message = at.message(said).await?;
        return at.queue(message, queue).await?.answer();
    }
    let message = at.message(said).await?;
    at.ensure_open()?;
    let (accept, accepted) = oneshot::channel();
    let (begin, begun) = oneshot::channel::<()>();
    let mut running = Box::pin(async move {
        let accepted = async {
            accept.send(()).ok();
            // Until the answer is out, so that it comes before the first event of the run.
            begun.await.ok();
        };
        let messages = vec![message];
        let prompting = at
            .session
            .prompt_accepted(messages, InputSource::Rpc, accepted);
        prompting.await
    });
    let ended = tokio::select! {
        biased;
        ended = &mut running => ended,
        Ok(()) = accepted => {
            let answer = Disposition::Started.answer()?;
            return Ok(answer.then(async move {
                drop(begin);
                // What goes wrong from here on is told by events.
                running.await.ok();
            }));
        }
    };
    match ended {
        Ok(end) if end.aborted => Err(Refusal::AbortedEarly),
        Ok(_) => Disposition::Handled.answer(),
        Err(AgentError::AlreadyRunning) => Err(Refusal::Busy),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn steer(call: Call) -> Answered {
    queue(call, Queue::Steer).await
}

pub(super) async fn follow_up(call: Call) -> Answered {
    queue(call, Queue::FollowUp).await
}

async fn queue(call: Call, queue: Queue) -> Answered {
    let said = call.said()?;
    if call.at.is_command(&said.text) {
        let name = invocation(&said.text).map(|(name, _)| name.to_owned());
        return Err(Refusal::NotQueued(name.unwrap_or_default()));
    }
    let message = call.at.message(said).await?;
    call.at.queue(message, queue).await?.answer()
}

/// Cancels what goes on and answers when all is over.
pub(super) async fn abort(call: Call) -> Answered {
    call.at.cancel_run();
    call.at.idle().await;
    Answer::nothing()
}

pub(super) async fn clear_queue(call: Call) -> Answered {
    let (steering, follow_up) = call.at.session.agent().clear_queues().await;
    let texts = |messages: &[Arc<Message>]| -> Vec<String> {
        messages.iter().map(|message| text_of(message)).collect()
    };
    Answer::of(&json!({ "steering": texts(&steering), "followUp": texts(&follow_up) }))
}

fn text_of(message: &Message) -> String {
    let content = match message {
        Message::User(user) => &user.content,
        Message::Custom(custom) => &custom.content,
        _ => return String::new(),
    };
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
            texts.join("\n")
        }
    }
}
