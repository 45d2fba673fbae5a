use serde::Serialize;
use serde_json::value::RawValue;

use crate::transcript::{Answer, AssistantPart, AssistantUnit, Call, Part, Unit};
use crate::wire::Items;

/// How many blocks a provider looks back from a mark for what it has in its cache.
///
/// Source: Anthropic's documentation of prompt caching; one less than theirs on each side.
const LOOK_BACK: usize = 18;
/// How many marks the transcript may have; the system prompt has one of four.
const MAX_MARKS: usize = 3;

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    body: Body<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Clone, Copy, Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Body<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Content<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'a str,
    data: &'a str,
}

impl<'a> From<Body<'a>> for Block<'a> {
    fn from(body: Body<'a>) -> Self {
        Self {
            body,
            cache_control: None,
        }
    }
}

impl Block<'_> {
    /// Marks the block for the cache, where such a block can be marked.
    fn mark(&mut self) {
        let is_thought = matches!(
            self.body,
            Body::Thinking { .. } | Body::RedactedThinking { .. }
        );
        if !is_thought {
            self.cache_control = Some(CacheControl { kind: "ephemeral" });
        }
    }
}

/// Writes a unit; the last of a transcript is marked for the cache.
pub(super) fn unit(unit: &Unit<'_>, is_marked: bool, items: &mut Items<'_>) {
    let words = Words::of(unit);
    let mut messages = match unit {
        Unit::User(parts) => vec![user(parts.iter().map(part).collect())],
        Unit::System(_) => vec![user(words.notes())],
        Unit::Assistant(unit) => vec![assistant(unit), user(answers(unit, &words))],
    };
    if is_marked {
        mark(&mut messages);
    }
    for message in messages.iter().filter(|it| !it.content.is_empty()) {
        items.push(message);
    }
}

/// Text that is made for a unit.
#[derive(Default)]
struct Words {
    /// What stands before the pictures of a result that cannot hold them; by result.
    captions: Vec<String>,
    notes: Vec<String>,
}

impl Words {
    fn of(unit: &Unit<'_>) -> Self {
        match unit {
            Unit::User(_) => Self::default(),
            Unit::System(text) => Self {
                captions: Vec::new(),
                notes: vec![instruction(text)],
            },
            Unit::Assistant(unit) => Self {
                captions: unit.answers.iter().map(caption).collect(),
                notes: unit.notes.iter().map(|text| instruction(text)).collect(),
            },
        }
    }

    fn notes(&self) -> Vec<Block<'_>> {
        self.notes.iter().map(|note| said(note)).collect()
    }
}

/// The interface has no place for an instruction between two messages.
fn instruction(text: &str) -> String {
    format!("<instruction>\n{text}\n</instruction>")
}

fn caption(answer: &Answer<'_>) -> String {
    let (tool, id) = (&answer.tool_name, &answer.call_id);
    format!("From the result of {tool} (call {id}):")
}

fn user(content: Vec<Block<'_>>) -> Message<'_> {
    Message {
        role: "user",
        content,
    }
}

fn said(text: &str) -> Block<'_> {
    Body::Text { text }.into()
}

fn part<'a>(part: &'a Part<'a>) -> Block<'a> {
    match part {
        Part::Text(text) => said(text),
        Part::Image { data, mime_type } => image(data, mime_type),
    }
}

fn image<'a>(data: &'a str, media_type: &'a str) -> Block<'a> {
    let source = Source {
        kind: "base64",
        media_type,
        data,
    };
    Body::Image { source }.into()
}

fn assistant<'a>(unit: &'a AssistantUnit<'a>) -> Message<'a> {
    let mut content: Vec<Block<'a>> = unit.parts.iter().filter_map(assistant_part).collect();
    // An answer must not end in a thought: it was cut there, and says nothing.
    let is_thought = |block: &Block<'_>| {
        matches!(
            block.body,
            Body::Thinking { .. } | Body::RedactedThinking { .. }
        )
    };
    while content.last().is_some_and(is_thought) {
        content.pop();
    }
    Message {
        role: "assistant",
        content,
    }
}

fn assistant_part<'a>(part: &'a AssistantPart<'a>) -> Option<Block<'a>> {
    match part {
        AssistantPart::Text { text, .. } => Some(said(text)),
        AssistantPart::Thinking {
            text,
            signature,
            is_redacted,
        } => {
            // A thought without its signature is refused.
            let signature = (*signature)?;
            let body = if *is_redacted {
                Body::RedactedThinking { data: signature }
            } else {
                Body::Thinking {
                    thinking: text,
                    signature,
                }
            };
            Some(body.into())
        }
        AssistantPart::Call(call) => tool_use(call),
    }
}

fn tool_use<'a>(call: &'a Call<'a>) -> Option<Block<'a>> {
    const EMPTY: &str = "{}";
    let input = serde_json::from_str(&call.arguments).or_else(|_| serde_json::from_str(EMPTY));
    let body = Body::ToolUse {
        id: &call.id,
        name: &call.name,
        input: input.ok()?,
    };
    Some(body.into())
}

/// Writes the results, which must come first, then the pictures of those that failed: an error takes
/// text only.
fn answers<'a>(unit: &'a AssistantUnit<'a>, words: &'a Words) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = unit.answers.iter().map(result).collect();
    for (answer, caption) in unit.answers.iter().zip(&words.captions) {
        let mut images = answer
            .images()
            .filter(|_| answer.is_error)
            .map(|(data, mime_type)| image(data, mime_type))
            .peekable();
        if images.peek().is_some() {
            blocks.push(said(caption));
            blocks.extend(images);
        }
    }
    blocks.extend(words.notes());
    blocks
}

fn result<'a>(answer: &'a Answer<'a>) -> Block<'a> {
    const PICTURE_FOLLOWS: &str = "the result is a picture, which follows";
    let takes = |part: &&Part<'_>| !answer.is_error || part.as_text().is_some();
    let mut content: Vec<Block<'a>> = answer.parts.iter().filter(takes).map(part).collect();
    if content.is_empty() {
        content.push(said(PICTURE_FOLLOWS));
    }
    let content = match content.as_slice() {
        [
            Block {
                body: Body::Text { text },
                ..
            },
        ] => Content::Text(text),
        _ => Content::Blocks(content),
    };
    let body = Body::ToolResult {
        tool_use_id: &answer.call_id,
        content,
        is_error: answer.is_error,
    };
    body.into()
}

/// Marks the end, and what is further before it than the provider looks back: a batch of many calls
/// would else be read again without the cache.
fn mark(messages: &mut [Message<'_>]) {
    let from_the_end = messages
        .iter_mut()
        .rev()
        .flat_map(|message| message.content.iter_mut().rev());
    for block in from_the_end.step_by(LOOK_BACK).take(MAX_MARKS) {
        block.mark();
    }
}
