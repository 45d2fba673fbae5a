use std::sync::Arc;

use deed_agent::RunEnd;
use deed_harness::AgentSession;
use deed_protocol::{ContentBlock, Message, StopReason};

use crate::cli::Mode;
use crate::exit::Ending;
use crate::signals::Stop;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, WriterEnd, ending_of};

use super::json;

/// What a run prints, and where it has come.
pub(super) struct Output {
    writer: Writer,
    end: WriterEnd,
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
            prints_answer: mode == Mode::Text && !look.is_terminal,
            writer,
            end,
        })
    }

    /// Prints what is left to print and waits until all is written.
    pub(super) async fn end(self, end: &RunEnd) -> anyhow::Result<Ending> {
        if self.prints_answer
            && let Some(answer) = answer(end)
        {
            self.writer.text(answer).await;
        }
        ending_of(self.end.wait().await)
    }
}

/// Returns the text of the last answer, with one line end.
fn answer(end: &RunEnd) -> Option<String> {
    let last = end
        .messages
        .iter()
        .rev()
        .find_map(|message| Message::as_assistant(message))?;
    if matches!(last.stop_reason, StopReason::Error | StopReason::Aborted) {
        return None;
    }
    let texts: Vec<&str> = last
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    let text = texts.join("\n");
    (!text.is_empty()).then(|| format!("{}\n", text.trim_end_matches('\n')))
}
