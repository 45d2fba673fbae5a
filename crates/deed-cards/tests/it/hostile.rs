//! Text that means harm, in every place where a card holds text.

use deed_cards::{CardText, draw_html, draw_text};
use deed_protocol::{
    Badge, Block, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, Tone, ToolCard,
};

use crate::samples::{PNG_640_480, cell};

/// A card that holds the text in every field.
pub(crate) fn everywhere(text: &str) -> ToolCard {
    let owned = || text.to_owned();
    let kinds = [
        DiffLineKind::Context,
        DiffLineKind::Removed,
        DiffLineKind::Added,
        DiffLineKind::Gap,
    ];
    let lines = kinds.map(|kind| DiffLine {
        kind,
        line_1based: Some(1),
        text: owned(),
    });
    ToolCard {
        is_bare: false,
        title: owned(),
        subject: owned(),
        badges: vec![Badge {
            text: owned(),
            tone: Tone::Bad,
        }],
        blocks: vec![
            Block::Text { text: owned() },
            Block::Code {
                text: owned(),
                language: owned(),
                first_line_1based: None,
            },
            Block::Code {
                text: owned(),
                language: "rust".into(),
                first_line_1based: Some(9),
            },
            Block::Diff {
                path: format!("{text}2"),
                lines: lines.into(),
            },
            Block::Table {
                columns: vec![owned()],
                rows: vec![vec![cell(text), cell("1")]],
                omitted_rows: 2,
            },
            Block::Image {
                data: owned(),
                mime_type: owned(),
                alt: owned(),
            },
            Block::Image {
                data: owned(),
                mime_type: "image/png".into(),
                alt: owned(),
            },
            Block::Image {
                data: PNG_640_480.into(),
                mime_type: "image/png".into(),
                alt: owned(),
            },
            Block::KeyValues {
                pairs: vec![KeyValue {
                    key: owned(),
                    value: owned(),
                }],
            },
            Block::Progress(Progress {
                label: owned(),
                done: 1,
                total: Some(2),
            }),
            Block::Notice {
                level: NoticeLevel::Error,
                text: owned(),
            },
        ],
    }
}

const HIDDEN: [char; 22] = [
    '\0',
    '\x07',
    '\x08',
    '\x0c',
    '\r',
    '\x1b',
    '\x7f',
    '\u{85}',
    '\u{9b}',
    '\u{ad}',
    '\u{61c}',
    '\u{200b}',
    '\u{200e}',
    '\u{200f}',
    '\u{2028}',
    '\u{202e}',
    '\u{2066}',
    '\u{2069}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{e0041}',
];

#[test]
fn nothing_hidden_reaches_a_terminal() {
    for character in HIDDEN {
        let card = everywhere(&format!("a{character}b{character}{character}"));
        for expanded in [false, true] {
            for unicode in [false, true] {
                let options = CardText {
                    expanded,
                    unicode,
                    ..CardText::default()
                };
                let drawn = draw_text(&card, &options);
                assert!(!drawn.contains(character), "{character:?}: {drawn}");
                assert!(unicode || drawn.is_ascii(), "{drawn}");
                let controls = drawn
                    .chars()
                    .filter(|c| c.is_control() && *c != '\n')
                    .count();
                assert_eq!(controls, 0, "{drawn}");
            }
        }
    }
}

#[test]
fn nothing_hidden_reaches_a_page() {
    for character in HIDDEN {
        let page = draw_html(&everywhere(&format!("a{character}b")));
        assert!(!page.contains(character), "{character:?}: {page}");
        assert!(page.contains("card-odd"), "{page}");
    }
}

#[test]
fn what_is_hidden_is_written_out() {
    let card = ToolCard::new("bash", "echo \x1b[2J\u{202e}cod\u{2066} \u{200b}a\tb\r\n").block(
        Block::Text {
            text: "\u{301}e\u{301} \u{9b}31m\x08\u{feff}\u{200d}é".into(),
        },
    );
    insta::assert_snapshot!(crate::plain(&card, 80), @r"
    ● bash  echo ␛[2J\u{202e}cod\u{2066} \u{200b}a  b␍␊
      │ \u{301}é \x9b31m␈\u{feff}\u{200d}é
    ");
    let options = CardText {
        unicode: false,
        ..CardText::default()
    };
    insta::assert_snapshot!(draw_text(&card, &options), @r"
    * bash  echo \x1b[2J\u{202e}cod\u{2066} \u{200b}a   b\x0d\x0a
      | \u{301}e\u{301} \x9b31m\x08\u{feff}\u{200d}\u{e9}
    ");
    insta::assert_snapshot!(crate::coloured(&card, 80), @r"
    ● ‹1›bash‹›  echo ‹7;35›␛‹›[2J‹7;35›\u{202e}‹›cod‹7;35›\u{2066}‹› ‹7;35›\u{200b}‹›a  b‹7;35›␍␊‹›
      ‹2›│‹› ‹7;35›\u{301}‹›é ‹7;35›\x9b‹›31m‹7;35›␈\u{feff}\u{200d}‹›é
    ");
}

#[test]
fn heaps_of_marks_and_smuggled_selectors_are_written_out() {
    let marks = "\u{301}".repeat(9);
    let text = format!("a{marks}\nb\u{fe0f}\u{fe01}\u{fe02}\nx\u{e0100}\u{e0041}");
    let card = ToolCard::new("read", "a").block(Block::Text { text });
    insta::assert_snapshot!(crate::plain(&card, 80), @r"
    ● read  a
      │ á́́́\u{301}\u{301}\u{301}\u{301}\u{301}
      │ b\u{fe0f}\u{fe01}\u{fe02}
      │ x\u{e0100}\u{e0041}
    ");
}

#[test]
fn joined_emoji_flags_and_wide_letters_stay_whole() {
    let text = "👩‍👩‍👧 🇩🇪 👍🏽 ❤️ 1️⃣ 漢字 한국 e\u{301} ไทย नि";
    let card = ToolCard::new("read", "a").block(Block::Text { text: text.into() });
    for width in 8..40 {
        let drawn = crate::plain(&card, width);
        let line = drawn.lines().nth(1).unwrap();
        let shown = line
            .trim_start_matches(['│', ' '])
            .trim_end_matches('…')
            .trim_end();
        assert!(text.starts_with(shown), "{width}: {line}");
        assert!(!shown.ends_with(['\u{200d}', '🇩']), "{width}: {line}");
    }
    assert!(crate::plain(&card, 80).contains(text));
}

#[test]
fn colour_codes_come_from_us_alone() {
    let card = everywhere("\x1b[31mred\x1b]0;title\x07");
    let drawn = draw_text(
        &card,
        &CardText {
            colour: true,
            ..CardText::default()
        },
    );
    assert!(!drawn.contains("\x1b[31mred"), "{drawn:?}");
    assert!(!drawn.contains("\x1b]"), "{drawn:?}");
}

#[test]
fn b142_every_line_of_a_command_is_seen() {
    let pair = KeyValue {
        key: "command".into(),
        value: "# list files\nrm -r d\u{202e}".into(),
    };
    let card = ToolCard::new("approve", "bash").block(Block::KeyValues { pairs: vec![pair] });
    insta::assert_snapshot!(crate::plain(&card, 40), @r"
    ● approve  bash
      │ command  # list files
      │          rm -r d\u{202e}
    ");
}
