//! One card of each kind, as the built-in tools make them.

use deed_protocol::{
    Block, Cell, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, Tone, ToolCard,
};

/// A PNG of 640 × 480, cut after its header.
pub(crate) const PNG_640_480: &str = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA=";

pub(crate) fn all() -> Vec<(&'static str, ToolCard)> {
    vec![
        ("text", text()),
        ("code", code()),
        ("diff", diff()),
        ("table", table()),
        ("image", image()),
        ("pairs", pairs()),
        ("progress", progress()),
        ("notices", notices()),
    ]
}

pub(crate) fn text() -> ToolCard {
    let output: Vec<_> = (1..=40).map(|n| format!("test case_{n} ... ok")).collect();
    ToolCard::new("bash", "cargo test --quiet -- --test-threads=1")
        .badge("exit 0", Tone::Good)
        .badge("2.4 s", Tone::Muted)
        .block(Block::Text {
            text: output.join("\n") + "\n\ttabs\tare\texpanded\n",
        })
        .block(Block::Notice {
            level: NoticeLevel::Info,
            text: "lines 1001-3000 of 3000 are shown; the whole output is in \
                   ~/.local/state/deed/output/7f3a/call_12.txt"
                .into(),
        })
}

pub(crate) fn code() -> ToolCard {
    let code = r##"/// Reads a line; `None` at the end.
pub fn read_line<'a>(input: &'a [u8]) -> Option<&'a str> {
    let end = memchr(b'\n', input).unwrap_or(0x1F_usize);
    /* block
       comment */ let raw = r#"a "raw" string"#;
    println!("{raw}: a rather long line of code that does not fit into eighty columns at all");
    str::from_utf8(&input[..end]).ok()
}
"##;
    ToolCard::new("read", "crates/deed/src/main.rs:96-103")
        .badge("8 lines", Tone::Plain)
        .block(Block::Code {
            text: code.into(),
            language: "rs".into(),
            first_line_1based: Some(96),
        })
}

pub(crate) fn line(kind: DiffLineKind, number: Option<u64>, text: &str) -> DiffLine {
    DiffLine {
        kind,
        line_1based: number,
        text: text.into(),
    }
}

pub(crate) fn diff() -> ToolCard {
    use DiffLineKind::{Added, Context, Gap, Removed};
    let lines = vec![
        line(Context, Some(8), "impl Config {"),
        line(Removed, Some(9), "    pub fn load(path: &Path) -> Config {"),
        line(
            Added,
            Some(9),
            "    pub fn load(path: &Path) -> Result<Config, ConfigError> {",
        ),
        line(
            Removed,
            Some(10),
            "        let text = fs::read_to_string(path).unwrap();",
        ),
        line(
            Added,
            Some(10),
            "        let text = fs::read_to_string(path)?;",
        ),
        line(Context, Some(11), "        parse(&text)"),
        line(Gap, None, ""),
        line(
            Context,
            Some(118),
            "    /// 漢字 are two columns wide, é is one, and 👩‍💻 is two.",
        ),
        line(Added, Some(119), "    #[must_use]"),
        line(Context, Some(119), "    pub fn width(&self) -> usize {"),
    ];
    ToolCard::new("edit", "src/config.rs")
        .badge("+3", Tone::Good)
        .badge("-2", Tone::Plain)
        .block(Block::Diff {
            path: "src/config.rs".into(),
            lines,
        })
}

pub(crate) fn cell(text: &str) -> Cell {
    Cell {
        text: text.into(),
        is_number: text.parse::<f64>().is_ok(),
    }
}

pub(crate) fn table() -> ToolCard {
    let rows = [
        [
            "1",
            "Ada Lovelace",
            "1815.50",
            "wrote the first program for a machine that was never built",
        ],
        ["20", "山田太郎", "9", "表の幅"],
        ["300", "Noether", "-12345.678", ""],
    ];
    ToolCard::new("query_database", "select * from people order by id")
        .badge("main", Tone::Plain)
        .badge("read only", Tone::Good)
        .block(Block::Table {
            columns: ["id", "name", "score", "remark"].map(String::from).into(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(|text| cell(text)).collect())
                .collect(),
            omitted_rows: 120,
        })
}

pub(crate) fn image() -> ToolCard {
    ToolCard::new("read", "assets/logo.png").block(Block::Image {
        data: PNG_640_480.into(),
        mime_type: "image/png".into(),
        alt: "the logo on white".into(),
    })
}

pub(crate) fn pairs() -> ToolCard {
    let pair = |key: &str, value: &str| KeyValue {
        key: key.into(),
        value: value.into(),
    };
    ToolCard::new("approve", "bash")
        .badge("asks", Tone::Warning)
        .block(Block::KeyValues {
            pairs: vec![
                pair("command", "# list files\nrm -r build\nls -la"),
                pair(
                    "folder",
                    "/home/ada/project/with/a/path/that/is/longer/than/the/line/allows/it",
                ),
                pair("time limit", "600 s"),
            ],
        })
}

pub(crate) fn progress() -> ToolCard {
    ToolCard::new("grep", "TODO in src/")
        .badge("running", Tone::Plain)
        .block(Block::Progress(Progress {
            label: "files".into(),
            done: 300,
            total: Some(1200),
        }))
        .block(Block::Progress(Progress {
            label: "matches".into(),
            done: 17,
            total: None,
        }))
}

pub(crate) fn notices() -> ToolCard {
    let notice = |level, text: &str| Block::Notice {
        level,
        text: text.into(),
    };
    ToolCard::new("write", "notes/a.txt")
        .badge("failed", Tone::Bad)
        .block(notice(NoticeLevel::Info, "the folder was made"))
        .block(notice(
            NoticeLevel::Warning,
            "the file had DOS line ends; they were kept as they are",
        ))
        .block(notice(
            NoticeLevel::Error,
            "notes/a.txt changed since it was read; read it again before writing it whole",
        ))
}
