use std::sync::Arc;
use std::time::Instant;

use deed_agent::{BarrierSink, BoxFuture, Redactor};
use deed_protocol::{AssistantMessage, Event, EventBody};

use crate::exit::complain;

/// How much of the arguments of a call is told.
const MAX_SHOWN_CHARS: usize = 300;

/// Tells on standard error what goes on, a line an event, secrets taken out.
pub(super) struct Verbose {
    begun: Instant,
    redactor: Arc<dyn Redactor>,
}

impl Verbose {
    pub(super) fn new(redactor: Arc<dyn Redactor>) -> Self {
        Self {
            begun: Instant::now(),
            redactor,
        }
    }
}

impl BarrierSink for Verbose {
    fn name(&self) -> &str {
        "the log of --verbose"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if let Some(line) = line(&event.body) {
            let at = self.begun.elapsed().as_millis();
            complain(&format!("[{at} ms] {}", self.redactor.redact_text(&line)));
        }
        Box::pin(async { Ok(()) })
    }
}

fn line(body: &EventBody) -> Option<String> {
    Some(match body {
        EventBody::TurnStart => "turn: the model is asked".to_owned(),
        EventBody::MessageEnd { message } => answered(message.as_assistant()?),
        EventBody::ToolExecutionStart {
            tool_call_id,
            tool_name,
            args,
        } => format!("call {tool_call_id}: {tool_name} {}", shortened(args.get())),
        EventBody::ToolExecutionEnd {
            tool_call_id,
            is_error,
            duration_ms,
            ..
        } => {
            let how = if *is_error { "failed" } else { "done" };
            let took = duration_ms.map_or_else(String::new, |ms| format!(", {ms} ms"));
            format!("call {tool_call_id}: {how}{took}")
        }
        EventBody::AutoRetryStart {
            attempt,
            max_attempts,
            delay_ms,
            error_message,
        } => format!(
            "the request failed ({error_message}) and is sent again in {delay_ms} ms, attempt \
             {attempt} of {max_attempts}"
        ),
        EventBody::CompactionStart { reason } => format!("compaction begins: {reason}"),
        EventBody::CompactionEnd { error_message, .. } => match error_message {
            Some(error) => format!("compaction failed: {error}"),
            None => "compaction done".to_owned(),
        },
        _ => return None,
    })
}

fn shortened(args: &str) -> String {
    match args.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", args.get(..at).unwrap_or_default()),
        None => args.to_owned(),
    }
}

fn answered(answer: &AssistantMessage) -> String {
    let usage = &answer.usage;
    let error = answer.error_message.as_deref();
    format!(
        "answer of {}/{}: {} tokens in, {} from the cache, {} out, ${:.4}{}",
        answer.provider,
        answer.model,
        usage.input,
        usage.cache_read,
        usage.output,
        usage.cost.total,
        error.map_or_else(String::new, |error| format!("; {error}")),
    )
}
