use deed_protocol::{Block, KeyValue, NoticeLevel, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, truncate_line};
use serde_json::Value;

use crate::tool::NAME;
use crate::{Classified, Database};

mod table;

const MAX_SUBJECT_CHARS: usize = 200;

/// Draws a call: the database and the statement.
pub(crate) fn call(args: &Value) -> ToolCard {
    let text = |name: &str| args.get(name).and_then(Value::as_str);
    let sql = text("sql").unwrap_or_default();
    let card = ToolCard::new(NAME, subject(sql));
    let card = match text("database") {
        Some(name) => card.badge(truncate_line(name, MAX_SUBJECT_CHARS).text, Tone::Muted),
        None => card,
    };
    card.block(code(sql))
}

/// Draws a call for whoever is to allow it: all of the statement, where it would run, and what it does.
pub(crate) fn preview(database: &Database, text: &str, found: &Classified) -> ToolCard {
    let tone = if found.class.is_read() {
        Tone::Muted
    } else {
        Tone::Warning
    };
    let pair = |key: &str, value: String| KeyValue {
        key: key.to_owned(),
        value,
    };
    ToolCard::new(NAME, subject(text))
        .badge(found.class.as_str(), tone)
        .block(code(text))
        .block(Block::KeyValues {
            pairs: vec![
                pair("on", database.to_string()),
                pair("because", found.reason.clone()),
            ],
        })
}

/// Draws what came back as a table.
pub(crate) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let card = call(args);
    let text = result.joined_text();
    if result.is_error {
        return card.badge("error", Tone::Bad).block(Block::Notice {
            level: NoticeLevel::Error,
            text,
        });
    }
    if view.partial {
        return card
            .badge("running", Tone::Muted)
            .block(Block::Text { text });
    }
    let fact = |name: &str| {
        result
            .details
            .as_ref()
            .and_then(|details| details.get(name))
    };
    let mut card = card;
    for (name, unit) in [
        ("rowCount", "rows"),
        ("affectedRows", "changed"),
        ("durationMs", "ms"),
    ] {
        if let Some(number) = fact(name).and_then(Value::as_u64) {
            card = card.badge(format!("{number} {unit}"), Tone::Muted);
        }
    }
    if fact("truncated").and_then(Value::as_bool) == Some(true) {
        card = card.badge("cut", Tone::Warning);
    }
    let (table, summary) = table::of(&text, view);
    card.blocks.extend(table);
    card.block(Block::Notice {
        level: NoticeLevel::Info,
        text: summary,
    })
}

fn subject(sql: &str) -> String {
    let words: Vec<&str> = sql.split_whitespace().collect();
    truncate_line(&words.join(" "), MAX_SUBJECT_CHARS)
        .text
        .into_owned()
}

fn code(sql: &str) -> Block {
    Block::Code {
        text: sql.to_owned(),
        language: "sql".to_owned(),
        first_line_1based: None,
    }
}
