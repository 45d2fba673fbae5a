use deed_protocol::{
    Block, Cell, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, Tone, ToolCard,
};

fn every_block() -> Vec<Block> {
    let line = |kind, line_1based| DiffLine {
        kind,
        line_1based,
        text: "x".to_owned(),
    };
    let cell = |text: &str, is_number| Cell {
        text: text.to_owned(),
        is_number,
    };
    vec![
        Block::Text {
            text: "a\nb".to_owned(),
        },
        Block::Code {
            text: "fn f() {}".to_owned(),
            language: "rust".to_owned(),
            first_line_1based: Some(7),
        },
        Block::Code {
            text: String::new(),
            language: String::new(),
            first_line_1based: None,
        },
        Block::Diff {
            path: "a".to_owned(),
            lines: vec![
                line(DiffLineKind::Context, Some(1)),
                line(DiffLineKind::Removed, Some(2)),
                line(DiffLineKind::Added, Some(2)),
                line(DiffLineKind::Gap, None),
            ],
        },
        Block::Table {
            columns: vec!["n".to_owned()],
            rows: vec![vec![cell("1", true), cell("a", false)]],
            omitted_rows: 9,
        },
        Block::Image {
            data: "AA==".to_owned(),
            mime_type: "image/png".to_owned(),
            alt: "a dot".to_owned(),
        },
        Block::KeyValues {
            pairs: vec![KeyValue {
                key: "k".to_owned(),
                value: "v".to_owned(),
            }],
        },
        Block::Progress(Progress {
            label: "reading".to_owned(),
            done: 1,
            total: Some(2),
        }),
        Block::Progress(Progress::default()),
        Block::Notice {
            level: NoticeLevel::Warning,
            text: "cut".to_owned(),
        },
    ]
}

#[test]
fn a_card_is_read_as_it_was_written() {
    let mut card = ToolCard::new("read", "a.txt");
    for tone in [
        Tone::Plain,
        Tone::Muted,
        Tone::Good,
        Tone::Warning,
        Tone::Bad,
    ] {
        card = card.badge("7 lines", tone);
    }
    for block in every_block() {
        card = card.block(block);
    }
    let text = serde_json::to_string(&card).unwrap();
    assert_eq!(serde_json::from_str::<ToolCard>(&text).unwrap(), card);
    assert!(!text.contains("null"), "{text}");
}

#[test]
fn blocks_are_told_apart_by_type_in_the_manner_of_the_wire() {
    let types: Vec<String> = every_block()
        .iter()
        .map(|block| {
            let value = serde_json::to_value(block).unwrap();
            value["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        types,
        [
            "text",
            "code",
            "code",
            "diff",
            "table",
            "image",
            "keyValues",
            "progress",
            "progress",
            "notice"
        ]
    );
    insta::assert_snapshot!(serde_json::to_string(&every_block()[3]).unwrap(), @r#"{"type":"diff","path":"a","lines":[{"kind":"context","line1based":1,"text":"x"},{"kind":"removed","line1based":2,"text":"x"},{"kind":"added","line1based":2,"text":"x"},{"kind":"gap","text":"x"}]}"#);
}

#[test]
fn an_empty_card_is_only_its_title() {
    assert_eq!(
        serde_json::to_string(&ToolCard::new("ls", "")).unwrap(),
        r#"{"title":"ls"}"#
    );
}
