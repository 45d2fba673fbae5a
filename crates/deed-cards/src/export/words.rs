//! What both formats say in the same words.

use deed_protocol::{
    BashExecutionMessage, Block, ContentBlock, ImageBlock, NoticeLevel, Tone, ToolCard, UserContent,
};
use jiff::Timestamp;
use unicode_segmentation::UnicodeSegmentation;

use super::item::{ExportHead, ExportTotals};
use crate::visible::lines;

/// Characters of a line that stand for a whole text.
const MAX_LABEL_CHARACTERS: usize = 80;

/// What stands at the top of an export: names and values.
pub(super) fn facts(head: &ExportHead<'_>) -> Vec<(&'static str, String)> {
    let ExportTotals {
        messages,
        calls,
        failed_calls,
        usage,
    } = &head.totals;
    let mut facts = vec![
        ("session", head.session_id.to_owned()),
        ("started", head.started_ms.map(moment).unwrap_or_default()),
        ("folder", head.folder.to_owned()),
        ("messages", grouped(*messages)),
        (
            "tool calls",
            match failed_calls {
                0 => grouped(*calls),
                _ => format!("{}, {} failed", grouped(*calls), grouped(*failed_calls)),
            },
        ),
    ];
    if usage.input + usage.output + usage.cache_read + usage.cache_write > 0 {
        let parts = [
            (usage.input, "read"),
            (usage.output, "written"),
            (usage.cache_read, "from the cache"),
            (usage.cache_write, "into the cache"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts
            .map(|(count, what)| format!("{} {what}", grouped(*count)))
            .collect();
        facts.push(("tokens", parts.join(", ")));
    }
    if usage.cost.total > 0.0 {
        facts.push(("cost", dollars(usage.cost.total)));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// A number with its thousands set apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn dollars(amount: f64) -> String {
    if amount < 0.1 {
        format!("${amount:.4}")
    } else {
        format!("${amount:.2}")
    }
}

/// A moment for people, in UTC; empty if no calendar has it.
pub(super) fn moment(at_ms: i64) -> String {
    let moment = Timestamp::from_millisecond(at_ms);
    moment.map_or_else(
        |_| String::new(),
        |moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// The same moment for programs.
pub(super) fn machine_moment(at_ms: i64) -> String {
    let moment = Timestamp::from_millisecond(at_ms);
    moment.map_or_else(
        |_| String::new(),
        |moment| moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

/// A part of what somebody said.
pub(super) enum Part<'a> {
    Text(&'a str),
    Picture(&'a ImageBlock),
    /// Something that Deed does not know.
    Other,
}

/// The parts of what somebody said, in order.
pub(super) fn parts(content: &UserContent) -> impl Iterator<Item = Part<'_>> {
    let (text, blocks) = match content {
        UserContent::Text(text) => (Some(text.as_str()), Default::default()),
        UserContent::Blocks(blocks) => (None, blocks.as_slice()),
    };
    let blocks = blocks.iter().map(|block| match block {
        ContentBlock::Text(text) => Part::Text(&text.text),
        ContentBlock::Image(image) => Part::Picture(image),
        ContentBlock::Thinking(_) | ContentBlock::ToolCall(_) | ContentBlock::Unknown(_) => {
            Part::Other
        }
    });
    text.map(Part::Text).into_iter().chain(blocks)
}

/// Stands where [`Part::Other`] does.
pub(super) const OTHER: &str = "[content of a kind that cannot be shown]";
/// Stands for a thought that is not there.
pub(super) const WITHHELD: &str = "The provider withheld this thought.";

/// The title of an export: a line that is never empty.
pub(super) fn title(head: &ExportHead<'_>) -> String {
    first_words(head.title).unwrap_or_else(|| "Session".to_owned())
}

/// The first words of a prompt.
pub(super) fn label(content: &UserContent) -> String {
    let mut label = "no text";
    for part in parts(content) {
        match part {
            Part::Text(text) => {
                if let Some(words) = first_words(text) {
                    return words;
                }
            }
            Part::Picture(_) => label = "a picture",
            Part::Other => {}
        }
    }
    label.to_owned()
}

/// The first line that holds something, cut if it is long.
fn first_words(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut characters = line.grapheme_indices(true).skip(MAX_LABEL_CHARACTERS);
    Some(match characters.next() {
        Some((end, _)) => format!("{}\u{2026}", line.get(..end).unwrap_or_default().trim_end()),
        None => line.to_owned(),
    })
}

/// A number of things, such as `1 line`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// A command of a person as a card.
pub(super) fn command_card(message: &BashExecutionMessage) -> ToolCard {
    let is_one_line = lines(&message.command).count() <= 1;
    let subject = if is_one_line {
        message.command.trim_end()
    } else {
        ""
    };
    let mut card = ToolCard::new("command", subject);
    if !is_one_line {
        card = card.block(Block::Code {
            text: message.command.clone(),
            language: "bash".to_owned(),
            first_line_1based: None,
        });
    }
    card = match message.exit_code {
        _ if message.cancelled => card.badge("cancelled", Tone::Warning),
        Some(0) => card.badge("exit 0", Tone::Good),
        Some(code) => card.badge(format!("exit {code}"), Tone::Bad),
        None => card,
    };
    if message.exclude_from_context == Some(true) {
        card = card.badge("not shown to the model", Tone::Muted);
    }
    if !message.output.is_empty() {
        card = card.block(Block::Text {
            text: message.output.clone(),
        });
    }
    if message.truncated {
        let text = match &message.full_output_path {
            Some(path) => format!("the output is cut; all of it was saved in {path}"),
            None => "the output is cut".to_owned(),
        };
        card = card.block(Block::Notice {
            level: NoticeLevel::Info,
            text,
        });
    }
    card
}

/// Lines of a card below its title up to which it is shown whole.
const MAX_OPEN_LINES: usize = 16;
/// The same in bytes, for text with few and long lines.
const MAX_OPEN_BYTES: usize = 8 * 1024;

/// How much there is below the title of a card, if that is too much to stand open.
pub(super) fn fold(card: &ToolCard) -> Option<String> {
    let mut height = 0;
    let mut bytes = 0;
    let mut add = |text: &str, more_bytes: usize| {
        height += lines(text).count().max(1);
        bytes += text.len() + more_bytes;
    };
    for block in &card.blocks {
        match block {
            Block::Text { text } | Block::Code { text, .. } | Block::Notice { text, .. } => {
                add(text, 0);
            }
            Block::Diff { lines, .. } => lines.iter().for_each(|line| add(&line.text, 0)),
            Block::Table { rows, .. } => {
                for row in rows {
                    add("", row.iter().map(|cell| cell.text.len()).sum());
                }
            }
            Block::KeyValues { pairs } => pairs.iter().for_each(|pair| add(&pair.value, 0)),
            Block::Image { .. } | Block::Progress(_) => add("", 0),
        }
    }
    if height > MAX_OPEN_LINES {
        Some(count(height, "line"))
    } else if bytes > MAX_OPEN_BYTES {
        Some(format!("{} KB", bytes / 1024))
    } else {
        None
    }
}
