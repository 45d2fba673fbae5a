//! Sessions that mean harm.

use deed_cards::ExportFormat::{Html, Markdown};
use deed_cards::{ExportEntry, ExportHead, ExportItem, SummaryOf};
use deed_protocol::{BashExecutionMessage, ContentBlock, Extra, NoticeLevel, UserContent};
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

use super::checker::check;
use super::export;
use crate::hostile::everywhere;
use crate::properties::texts;

/// Exports a session that holds the text in every place, and then a prompt that does not.
fn everywhere_in_a_session(text: &str, format: deed_cards::ExportFormat) -> String {
    let blocks = UserContent::Blocks(vec![
        ContentBlock::text(text),
        ContentBlock::image(text, text),
        ContentBlock::image(text, "image/png"),
    ]);
    let card = everywhere(text);
    let command = BashExecutionMessage {
        command: text.into(),
        output: text.into(),
        exit_code: None,
        cancelled: false,
        truncated: true,
        full_output_path: Some(text.into()),
        timestamp: 0,
        exclude_from_context: None,
        extra: Extra::new(),
    };
    let last = UserContent::Text("the last prompt".into());
    let level = NoticeLevel::Warning;
    let items = [
        ExportItem::Prompt(&blocks),
        ExportItem::Thinking(text),
        ExportItem::Answer(text),
        ExportItem::Answer(text),
        ExportItem::Call {
            card: &card,
            result_id: text,
        },
        ExportItem::Command(&command),
        ExportItem::Custom {
            kind: text,
            content: &blocks,
        },
        ExportItem::Summary {
            of: SummaryOf::Branch,
            text,
        },
        ExportItem::Change {
            what: text,
            value: text,
        },
        ExportItem::Notice { level, text },
        ExportItem::Prompt(&last),
    ];
    let ids: Vec<_> = (0..items.len()).map(|at| format!("{at}{text}")).collect();
    let at_ms = Some(i64::MAX);
    let entries = ids.iter().map(|id| ExportEntry { id, at_ms });
    let items: Vec<_> = entries.zip(items).collect();
    let head = ExportHead {
        title: text,
        session_id: text,
        folder: text,
        started_ms: Some(i64::MIN),
        ..ExportHead::default()
    };
    export(format, &head, &items)
}

const HOSTILE: [&str; 44] = [
    "",
    " ",
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style></head><body onload=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='x",
    "</pre></details></article></main><iframe src=//x>",
    "<!--",
    "<!-- -->\n```\n-->\nafter",
    "<![CDATA[ <x> ]]>",
    "<?php",
    "<pre>\n\n# Prompt 9\n\n</pre>",
    "<div>\n```\n</div>\n\n## Prompt 9",
    "a <b>b</b> Vec<String> <https://example.org>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x]\n\n[x]: javascript:alert(1) 'title'",
    "[x]: javascript:alert(1)\n[X]: javascript:alert(2)",
    "> [x]: data:text/html,<script>1</script>\n\n[x]",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x) [y](file:///etc/passwd) [z](blob:x)",
    "[x](<https://example.org/\" onclick=\"alert(1)>)",
    "![pixel](https://example.org/p.png?secret)",
    "![a ![b](https://example.org/b) [c](https://example.org/c)](https://example.org/a)",
    "![x]\n\n[x]: https://example.org/p.png",
    "\\![x](https://example.org/p.png) \\\\![x](https://example.org/p.png)",
    "[![x](https://example.org/a)](https://example.org/b)",
    "![unknown][1]",
    "```\nan open fence",
    "~~~~html\n<b>\n~~~",
    "- a\n  ```\n  open in a list",
    "> ````\n> open in a quote",
    "\t<img src=x>",
    "- a\n\n      <img src=x>",
    "para\n\n\t<img src=x>\n\n-\t<b>",
    "| a | <b> |\n|---|---|\n| `|` | \\| <i> |",
    "\x1b[31mred\x1b]0;title\x07\u{202e}txt.exe\u{2066}\u{200b}\0",
    "# a\n## b\n### c\n###### d\nunderlined\n===\nso\n---",
    "    indented\n\ttabbed",
    "a\rb\r\nc\u{2028}d\u{85}e",
];

#[test]
fn a_page_stays_whole() {
    for text in HOSTILE {
        check(&everywhere_in_a_session(text, Html));
    }
}

#[test]
fn a_document_stays_whole() {
    for text in HOSTILE {
        check_document(&everywhere_in_a_session(text, Markdown));
    }
}

/// Fails if a reader of Markdown would see more than text, or other headings than ours.
fn check_document(document: &str) {
    let odd = document
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(odd, None);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut prompts = 0;
    let mut depth = 0;
    for (event, range) in Parser::new_ext(document, options).into_offset_iter() {
        let source = &document[range.start..];
        match event {
            Event::Html(_) | Event::InlineHtml(_) => panic!("markup at {source}"),
            Event::Start(tag) => {
                match &tag {
                    Tag::Image { .. } => panic!("a picture at {source}"),
                    Tag::Link { dest_url, .. } => {
                        let scheme = dest_url.split_once(':').map(|(scheme, _)| scheme);
                        let is_safe = match scheme {
                            Some(scheme) if !scheme.contains(['/', '?', '#', '@']) => {
                                let scheme = scheme.to_ascii_lowercase();
                                ["http", "https", "mailto"].contains(&scheme.as_str())
                            }
                            _ => true,
                        };
                        assert!(is_safe, "a link to {dest_url:?} at {source}");
                    }
                    Tag::Heading { level, .. } if depth == 0 && source.starts_with('#') => {
                        let is_ours = source.starts_with("## Prompt ");
                        assert_eq!(*level == HeadingLevel::H2, is_ours, "{source}");
                        prompts += usize::from(is_ours);
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    assert_eq!(prompts, 2, "{document}");
    assert!(document.ends_with("\n\nthe last prompt\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_said_a_page_stays_whole(text in texts()) {
        let page = everywhere_in_a_session(&text, Html);
        check(&page);
        prop_assert!(!page.contains("<script"));
    }

    #[test]
    fn whatever_is_said_a_document_stays_whole(text in texts()) {
        check_document(&everywhere_in_a_session(&text, Markdown));
    }
}
