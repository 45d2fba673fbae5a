use std::sync::Arc;

use deed_agent::RunEnd;
use deed_harness::AgentSession;
use deed_protocol::{AssistantMessage, ContentBlock, Message, StopReason};

use crate::cli::Mode;
use crate::exit::{Ending, complain};
use crate::signals::Stop;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, WriterEnd, ending_of};

use super::json;

/// What a run prints, and where it has come.
pub(super) struct Output {
    writer: Writer,
    end: WriterEnd,
    /// Whether somebody reads text, so that nothing at all would look like nothing done.
    is_text: bool,
    /// Whether the answer is printed when all is over: nothing was printed before.
    prints_answer: bool,
}

impl Output {
    /// Begins to print: to a person the work as it goes on, to a program its events or, when all is
    /// over, the answer.
    pub(super) async fn begin(
        session: &AgentSession,
        look: &Look,
        (mode, with_cards): (Mode, bool),
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let (writer, end) = Writer::start(stop.cancel.clone())?;
        if mode == Mode::Json {
            json::begin(session, &writer, with_cards).await?;
        } else if look.is_terminal {
            let transcript = Transcript::new(session.clone(), writer.clone(), look.clone());
            session.add_sink(Arc::new(transcript));
        }
        Ok(Self {
            is_text: mode == Mode::Text,
            prints_answer: mode == Mode::Text && !look.is_terminal,
            writer,
            end,
        })
    }

    /// Prints what is left to print and waits until all is written.
    pub(super) async fn end(self, end: &RunEnd) -> anyhow::Result<Ending> {
        let last = last_answer(end);
        if self.prints_answer
            && let Some(text) = last.and_then(printed)
        {
            self.writer.text(text).await;
        }
        let ending = ending_of(self.end.wait().await)?;
        if self.is_text
            && ending == Ending::Done
            && let Some(answer) = last.filter(|answer| is_empty(answer))
        {
            complain(&said_nothing(answer));
        }
        Ok(ending)
    }
}

/// Returns the last answer, if it is one that came to its end.
fn last_answer(end: &RunEnd) -> Option<&AssistantMessage> {
    let mut answers = end.messages.iter().rev();
    let last = answers.find_map(|message| Message::as_assistant(message))?;
    let failed = matches!(last.stop_reason, StopReason::Error | StopReason::Aborted);
    (!failed).then_some(last)
}

/// Returns the text of an answer, with one line end.
fn printed(answer: &AssistantMessage) -> Option<String> {
    let texts: Vec<&str> = texts(answer).collect();
    let text = texts.join("\n");
    (!text.is_empty()).then(|| format!("{}\n", text.trim_end_matches('\n')))
}

fn texts(answer: &AssistantMessage) -> impl Iterator<Item = &str> {
    answer.content.iter().filter_map(ContentBlock::as_text)
}

/// Tells whether a model ended its turn without a word and without a call.
fn is_empty(answer: &AssistantMessage) -> bool {
    answer.tool_calls().next().is_none() && texts(answer).all(|text| text.trim().is_empty())
}

/// Says what to do about an answer that is none.
fn said_nothing(answer: &AssistantMessage) -> String {
    let (why, remedy) = match &answer.stop_reason {
        StopReason::Length => (
            ", because it came to the end of what it may write",
            "--thinking low leaves more of that to the answer, --model names another one",
        ),
        _ => (
            "",
            "ask again in other words, or name another model with --model; --mode json shows all \
             that came",
        ),
    };
    format!("the model's last answer is empty{why}: {remedy}")
}
