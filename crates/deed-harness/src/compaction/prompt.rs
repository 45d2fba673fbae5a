//! What the model that summarises is asked.

use std::fmt::Write;

use deed_protocol::Message;
use deed_session::compaction::{CompactionPlan, FileLists, conversation_text};

/// How many characters of a record are taken for a token, so that it fits for sure.
const CHARS_PER_TOKEN: u64 = 3;

/// What of a record goes to a model whose window is not known.
///
/// Units: tokens.
const UNKNOWN_WINDOW: u64 = 100_000;

pub(super) const SYSTEM: &str = "You write summaries of the work of a coding agent. You are given \
a record of a conversation between a person and the agent. You do not go on with the conversation \
and you do not answer what is asked in it: you only write down what somebody must know who takes \
the work over without having seen the record.";

const TASK: &str = "Write the summary under these headings, in short points:

## Goal
What the person wants, in their words where the words matter.
## Rules
What the person demanded or forbade, and what was agreed on.
## Done
What was done and checked, with names of files and functions to the letter.
## State
What is half done, what fails, and the exact text of errors that matter.
## Next
What to do next, in order.
## Facts
Whatever else would be costly to find out again.

Leave a heading out if there is nothing under it. Invent nothing.";

/// Makes the message that asks for a summary.
///
/// Units: `room` is tokens, 0 if unknown.
pub(super) fn message(
    plan: &CompactionPlan,
    instructions: Option<&str>,
    room: u64,
    now_ms: i64,
) -> Message {
    let mut text = String::new();
    if let Some(previous) = &plan.previous_summary {
        section(&mut text, "summary-so-far", previous);
    }
    let record = conversation_text(&plan.to_summarise);
    section(&mut text, "record", newest(&record, room));
    if !plan.turn_prefix.is_empty() {
        let prefix = conversation_text(&plan.turn_prefix);
        section(&mut text, "begun-and-going-on", newest(&prefix, room));
        text.push_str("What begins in the last part goes on after it; the rest of it is kept.\n\n");
    }
    text.push_str(TASK);
    if plan.previous_summary.is_some() {
        text.push_str("\n\nTake over from the summary so far whatever still holds.");
    }
    if let Some(instructions) = instructions.filter(|text| !text.trim().is_empty()) {
        // Writing to a string does not fail.
        write!(text, "\n\nThe person asks in particular: {instructions}").ok();
    }
    Message::user(text, now_ms)
}

/// Puts the files of the summarised part behind a summary.
pub(super) fn with_files(summary: &str, files: &FileLists) -> String {
    let mut text = summary.trim().to_owned();
    for (name, paths) in [
        ("read-files", &files.read_files),
        ("modified-files", &files.modified_files),
    ] {
        if !paths.is_empty() {
            write!(text, "\n\n<{name}>\n{}\n</{name}>", paths.join("\n")).ok();
        }
    }
    text
}

fn section(text: &mut String, name: &str, content: &str) {
    write!(text, "<{name}>\n{content}\n</{name}>\n\n").ok();
}

/// Returns as much of the end of a record as fits.
fn newest(record: &str, room: u64) -> &str {
    let room = if room == 0 { UNKNOWN_WINDOW } else { room };
    let max_bytes = usize::try_from(room.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
    let start = record.len().saturating_sub(max_bytes);
    let start = record.ceil_char_boundary(start);
    record.get(start..).unwrap_or(record)
}
