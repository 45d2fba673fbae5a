//! Reads an answer off the connection.

use std::time::Duration;

use deed_agent::ModelDelta;
use deed_protocol::ErrorKind;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::assemble::Assembler;
use crate::fault::{Fault, excerpt, fault_of_json};
use crate::http::Reply;
use crate::sse::{MAX_EVENT_BYTES, SseEvent, SseParser, TooLarge};
use crate::wire::{Decoder, Flow};

/// How long the end of the body may take after the end of the answer.
///
/// A body read to its end leaves a connection that the next request can use; a server that keeps it
/// open costs this much a request.
const END_OF_BODY: Duration = Duration::from_millis(20);

/// How much may be read before listeners hear of it.
const MAX_UNTOLD_BYTES: usize = 64 * 1024;

/// How much of a body that is no answer is kept for the message.
const EXCERPT_BYTES: usize = 2048;

/// Reads one answer.
pub(crate) struct Reader<'a> {
    /// Who answers.
    pub(crate) provider: &'a str,
    /// Where it was asked, fit to be shown.
    pub(crate) address: &'a str,
    /// Who hears what comes.
    pub(crate) deltas: &'a mpsc::Sender<ModelDelta>,
}

/// What the body turned out to be by its first character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    /// One JSON text, as servers give that do not stream, or a web page.
    Whole,
}

impl Reader<'_> {
    /// Reads until the answer is over.
    ///
    /// Errors: what came before the fault is in `answer`.
    pub(crate) async fn read(
        &self,
        reply: &mut Reply,
        decoder: &mut dyn Decoder,
        answer: &mut Assembler,
    ) -> Result<(), Fault> {
        let mut parser = SseParser::default();
        let (mut form, mut start, mut had_event) = (Form::Unknown, Vec::new(), false);
        let mut untold = 0;
        loop {
            // Listeners hear of what came when there is nothing left to read.
            let ready = if untold < MAX_UNTOLD_BYTES {
                reply.ready_chunk()
            } else {
                None
            };
            let next = match ready {
                Some(next) => next.map(Some),
                None => {
                    answer.tell(self.deltas).await;
                    untold = 0;
                    reply.chunk().await
                }
            };
            let chunk = match next {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // Of an answer that was whole only its end is lost.
                Err(fault) => return decoder.end(answer).map_err(|_| fault),
            };
            if form == Form::Unknown {
                form = form_of(&start, &chunk);
            }
            let kept = if form == Form::Whole {
                MAX_EVENT_BYTES
            } else {
                EXCERPT_BYTES
            };
            let room = kept.saturating_sub(start.len());
            start.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if form == Form::Whole {
                if start.len() >= MAX_EVENT_BYTES {
                    return Err(self.too_large());
                }
                continue;
            }
            parser.push(&chunk);
            untold += chunk.len();
            let flow = self.take(&mut parser, decoder, answer, &mut had_event);
            if flow? == Flow::Over {
                return Ok(());
            }
        }
        if form == Form::Whole {
            return self.take_whole(&start, decoder, answer);
        }
        if let Some(event) = parser.last_event() {
            had_event = true;
            match decoder.event(&event, answer) {
                Ok(Flow::Over) => return Ok(()),
                Ok(Flow::Goes) => {}
                // Half an event cannot be read: that is the connection's fault.
                Err(fault) if fault.kind == ErrorKind::Protocol => {
                    return Err(Fault::broke_off("it ended in the middle of an event"));
                }
                Err(fault) => return Err(fault),
            }
        }
        match (had_event, start.is_empty()) {
            (true, _) => decoder.end(answer),
            (false, true) => Err(Fault::broke_off(format!("{} sent nothing", self.provider))),
            (false, false) => Err(self.no_answer(&start)),
        }
    }

    /// Gives the decoder all events that are whole.
    fn take(
        &self,
        parser: &mut SseParser,
        decoder: &mut dyn Decoder,
        answer: &mut Assembler,
        had_event: &mut bool,
    ) -> Result<Flow, Fault> {
        loop {
            match parser.next_event() {
                Ok(Some(event)) => {
                    *had_event = true;
                    if decoder.event(&event, answer)? == Flow::Over {
                        return Ok(Flow::Over);
                    }
                }
                Ok(None) => return Ok(Flow::Goes),
                Err(TooLarge) => return Err(self.too_large()),
            }
        }
    }

    fn take_whole(
        &self,
        body: &[u8],
        decoder: &mut dyn Decoder,
        answer: &mut Assembler,
    ) -> Result<(), Fault> {
        let text = String::from_utf8_lossy(body);
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            return Err(self.no_answer(body));
        };
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(fault_of_json(self.provider, &value));
        }
        let event = SseEvent {
            name: "".into(),
            data: text,
        };
        match decoder.event(&event, answer)? {
            Flow::Over => Ok(()),
            Flow::Goes => decoder.end(answer),
        }
    }

    fn no_answer(&self, body: &[u8]) -> Fault {
        let text = String::from_utf8_lossy(body);
        let what = if text.trim_start().starts_with('<') {
            "a web page"
        } else {
            "something that is no answer"
        };
        let start = excerpt(&text);
        Fault::protocol(format!(
            "{} answered with {what} (status 200): {start}; check the base URL",
            self.address
        ))
    }

    fn too_large(&self) -> Fault {
        let limit = MAX_EVENT_BYTES >> 20;
        Fault::protocol(format!(
            "{} sent a piece of more than {limit} MB; it is not read further",
            self.provider
        ))
    }
}

fn form_of(before: &[u8], chunk: &[u8]) -> Form {
    let blank = |byte: &&u8| byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(byte);
    match before.iter().chain(chunk).find(|byte| !blank(byte)) {
        None => Form::Unknown,
        Some(b'{' | b'[' | b'<') => Form::Whole,
        Some(_) => Form::Events,
    }
}

/// Reads what follows an answer, so that its connection can be used again.
pub(crate) async fn read_to_end(mut reply: Reply) {
    let reading = async { while let Ok(Some(_)) = reply.chunk().await {} };
    // A body that does not end is dropped, and its connection with it.
    tokio::time::timeout(END_OF_BODY, reading).await.ok();
}
