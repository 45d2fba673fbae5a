use std::borrow::Cow;

use deed_protocol::{BashExecutionMessage, ContentBlock, ImageBlock, Message, UserContent};

use super::text::{self, is_blank, safe_text};
use super::{Part, Target};
use crate::Api;

/// Who a picture comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    User,
    Tool,
}

/// Returns what a message of the user's side says.
pub(super) fn parts<'m>(message: &'m Message, target: &Target) -> Vec<Part<'m>> {
    let mut parts = Vec::new();
    match message {
        Message::User(message) => push_content(&mut parts, &message.content, target),
        Message::Custom(message) => push_content(&mut parts, &message.content, target),
        Message::BashExecution(command) => parts.push(owned(&shell_text(command))),
        Message::BranchSummary(message) => parts.push(owned(&summary_text(
            "Work on another branch of this conversation was left, and the conversation goes on from an \
             earlier point. What happened there:",
            &message.summary,
        ))),
        Message::CompactionSummary(message) => parts.push(owned(&summary_text(
            "The conversation before this point was too long to keep. This stands for it:",
            &message.summary,
        ))),
        _ => {}
    }
    if parts.is_empty() {
        parts.push(Part::Text(Cow::Borrowed(text::EMPTY_MESSAGE)));
    }
    parts
}

fn push_content<'m>(parts: &mut Vec<Part<'m>>, content: &'m UserContent, target: &Target) {
    match content {
        UserContent::Text(text) => push_text(parts, text),
        UserContent::Blocks(blocks) => push_blocks(parts, blocks, Side::User, target),
    }
}

/// Adds text and pictures; of each run of pictures that cannot be sent, a text says so once.
pub(super) fn push_blocks<'m>(
    parts: &mut Vec<Part<'m>>,
    blocks: &'m [ContentBlock],
    side: Side,
    target: &Target,
) {
    let mut last_left_out = None;
    for block in blocks {
        match block {
            ContentBlock::Text(block) if !is_blank(&block.text) => {
                last_left_out = None;
                push_text(parts, &block.text);
            }
            ContentBlock::Image(image) => match fault_of(image, target) {
                None => {
                    last_left_out = None;
                    parts.push(Part::Image {
                        data: &image.data,
                        mime_type: &image.mime_type,
                    });
                }
                Some(fault) if last_left_out != Some(fault) => {
                    last_left_out = Some(fault);
                    parts.push(Part::Text(Cow::Borrowed(fault.stand_in(side))));
                }
                Some(_) => {}
            },
            _ => {}
        }
    }
}

fn push_text<'m>(parts: &mut Vec<Part<'m>>, text: &'m str) {
    if !is_blank(text) {
        parts.push(Part::Text(safe_text(text)));
    }
}

fn owned<'m>(text: &str) -> Part<'m> {
    Part::Text(Cow::Owned(safe_text(text).into_owned()))
}

/// Why a picture is not sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Blocked,
    NotTaken,
    TooLarge,
    Unreadable,
}

impl Fault {
    fn stand_in(self, side: Side) -> &'static str {
        match (self, side) {
            (Self::Blocked, Side::User) => "[picture left out: pictures are switched off]",
            (Self::Blocked, Side::Tool) => {
                "[picture in the result left out: pictures are switched off]"
            }
            (Self::NotTaken, Side::User) => "[picture left out: this model takes text only]",
            (Self::NotTaken, Side::Tool) => {
                "[picture in the result left out: this model takes text only]"
            }
            (Self::TooLarge, Side::User) => "[picture left out: too large for this provider]",
            (Self::TooLarge, Side::Tool) => {
                "[picture in the result left out: too large for this provider]"
            }
            (Self::Unreadable, Side::User) => {
                "[picture left out: of a kind that this provider does not take]"
            }
            (Self::Unreadable, Side::Tool) => {
                "[picture in the result left out: of a kind that this provider does not take]"
            }
        }
    }
}

/// The media types that a provider takes.
///
/// Source: the references of the providers; Gemini alone has no GIF.
fn mime_types(api: Api) -> &'static [&'static str] {
    match api {
        Api::Gemini => &["image/png", "image/jpeg", "image/webp"],
        Api::Chat | Api::Responses | Api::Anthropic => {
            &["image/png", "image/jpeg", "image/webp", "image/gif"]
        }
    }
}

/// Finds why a picture cannot be sent. One stored by something else may be anything; sent, it would
/// make this and every later request fail.
fn fault_of(image: &ImageBlock, target: &Target) -> Option<Fault> {
    if target.block_images {
        return Some(Fault::Blocked);
    }
    if !target.takes_images {
        return Some(Fault::NotTaken);
    }
    if !mime_types(target.api).contains(&image.mime_type.as_str()) || !is_base64(&image.data) {
        return Some(Fault::Unreadable);
    }
    (image.data.len() > max_bytes(target.api)).then_some(Fault::TooLarge)
}

/// How long a picture may be, in base64.
///
/// Source: the limits that the providers document; Gemini's and OpenAI's hold for a request.
fn max_bytes(api: Api) -> usize {
    const MIB: usize = 1 << 20;
    match api {
        Api::Anthropic => 5 * MIB,
        Api::Chat | Api::Responses | Api::Gemini => 20 * MIB,
    }
}

fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    !digits.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - digits.len() <= 2
        && digits.bytes().all(is_digit)
}

fn shell_text(run: &BashExecutionMessage) -> String {
    let mut text = format!(
        "The user ran a command in the shell:\n$ {}\n\n",
        run.command
    );
    if is_blank(&run.output) {
        text.push_str("It printed nothing.");
    } else {
        text.push_str("It printed:\n");
        text.push_str(run.output.trim_end_matches('\n'));
    }
    if run.cancelled {
        text.push_str("\n\nIt was cancelled.");
    } else if let Some(code) = run.exit_code.filter(|code| *code != 0) {
        text.push_str(&format!("\n\nIt ended with exit code {code}."));
    }
    if run.truncated {
        text.push_str("\n\nThis is not all it printed.");
        if let Some(path) = &run.full_output_path {
            text.push_str(&format!(" All of it is in {path}."));
        }
    }
    text
}

fn summary_text(preamble: &str, summary: &str) -> String {
    let summary = summary.trim();
    format!("{preamble}\n\n<summary>\n{summary}\n</summary>")
}
