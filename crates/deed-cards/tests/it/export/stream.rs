use std::io::{self, Write};

use deed_cards::ExportFormat::{Html, Markdown};
use deed_cards::{Export, ExportEntry, ExportHead, ExportItem};
use deed_protocol::{Block, ContentBlock, ToolCard, UserContent};

/// Items of a long session.
const ITEMS: usize = 10_000;
/// No piece may be longer than what is gathered with one entry, or the list of prompts.
const MAX_PIECE: usize = 160 * 1024;

#[derive(Default)]
struct Pieces {
    whole: Vec<u8>,
    longest: usize,
    is_flushed: bool,
}

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.longest = self.longest.max(piece.len());
        self.whole.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.is_flushed = true;
        Ok(())
    }
}

#[test]
fn a_long_session_is_written_as_it_comes() {
    let card = ToolCard::new("read", "src/lib.rs").block(Block::Code {
        text: "fn main() {}\n".repeat(20),
        language: "rust".into(),
        first_line_1based: Some(1),
    });
    for format in [Html, Markdown] {
        let mut out = Pieces::default();
        let mut export = Export::begin(&mut out, format, &ExportHead::default()).unwrap();
        for at in 0..ITEMS {
            let prompt = UserContent::Text(format!("question {at}"));
            let item = match at % 3 {
                0 => ExportItem::Prompt(&prompt),
                1 => ExportItem::Answer("It **is** so."),
                _ => ExportItem::Call {
                    card: &card,
                    result_id: "",
                },
            };
            let id = format!("{at:08x}");
            let at_ms = Some(at as i64);
            export.item(ExportEntry { id: &id, at_ms }, &item).unwrap();
        }
        export.finish().unwrap();
        assert!(out.is_flushed);
        assert!(out.longest < MAX_PIECE, "{format:?}: {}", out.longest);
        let whole = String::from_utf8(out.whole).unwrap();
        assert!(whole.len() > 8 * MAX_PIECE, "{}", whole.len());
        if format == Html {
            assert!(whole.ends_with("</nav>\n</body>\n</html>\n"));
            assert_eq!(whole.matches("<article class=\"page-entry").count(), ITEMS);
            assert!(whole.contains("<p class=\"card-muted\">and 1,334 more</p>"));
        } else {
            assert!(whole.contains("\n## Prompt 3334\n"));
        }
    }
}

#[test]
fn a_picture_is_not_kept() {
    let data = format!(
        "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA{}",
        "A".repeat(3_000_001)
    );
    let picture = UserContent::Blocks(vec![ContentBlock::image(data.clone(), "image/png")]);
    let mut out = Pieces::default();
    let mut export = Export::begin(&mut out, Html, &ExportHead::default()).unwrap();
    let item = ExportItem::Prompt(&picture);
    export.item(ExportEntry::default(), &item).unwrap();
    drop(export);
    let written = String::from_utf8(out.whole).unwrap();
    assert!(written.contains(&data));
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_the_writer_says_is_said() {
    let mut export = Export::begin(Full, Markdown, &ExportHead::default()).unwrap();
    let long = "long ".repeat(20_000);
    let item = ExportItem::Answer(&long);
    let fault = export.item(ExportEntry::default(), &item).unwrap_err();
    assert_eq!(fault.kind(), io::ErrorKind::StorageFull);
    let short = Export::begin(
        Full,
        Markdown,
        &ExportHead {
            title: "a",
            ..ExportHead::default()
        },
    );
    let fault = short.unwrap().finish().map(|_| ()).unwrap_err();
    assert_eq!(fault.kind(), io::ErrorKind::StorageFull);
}
