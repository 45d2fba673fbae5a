use std::borrow::Cow;

use deed_protocol::{Block, Cell, DiffLine, KeyValue, NoticeLevel};

/// Blocks of one drawing.
const MAX_BLOCKS: usize = 64;
/// Text of one drawing, all blocks together.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Base64 of one drawing, all pictures together.
const MAX_PICTURE_BYTES: usize = 4 * 1024 * 1024;
/// Short texts such as names, paths and media types.
const MAX_WORD_BYTES: usize = 1024;

/// Bounds what an extension drew, and takes out of it what would do something to a terminal.
///
/// Shape: lines end with LF; what was cut is said in a last block.
pub(crate) fn cleaned(blocks: Vec<Block>) -> Vec<Block> {
    let mut room = Room {
        text_bytes: MAX_TEXT_BYTES,
        picture_bytes: MAX_PICTURE_BYTES,
        has_cut: false,
    };
    let mut out = Vec::with_capacity(blocks.len().min(MAX_BLOCKS));
    for block in blocks {
        if out.len() == MAX_BLOCKS || room.text_bytes == 0 {
            room.has_cut = true;
            break;
        }
        out.push(room.block(block));
    }
    if room.has_cut {
        out.push(Block::Notice {
            level: NoticeLevel::Info,
            text: "the drawing is longer than what is shown".to_owned(),
        });
    }
    out
}

/// What is left for the rest of a drawing.
struct Room {
    text_bytes: usize,
    picture_bytes: usize,
    has_cut: bool,
}

impl Room {
    fn block(&mut self, block: Block) -> Block {
        match block {
            Block::Text { text } => Block::Text {
                text: self.text(&text),
            },
            Block::Code {
                text,
                language,
                first_line_1based,
            } => Block::Code {
                text: self.text(&text),
                language: self.word(&language),
                first_line_1based,
            },
            Block::Notice { level, text } => Block::Notice {
                level,
                text: self.text(&text),
            },
            Block::Diff { path, lines } => Block::Diff {
                path: self.word(&path),
                lines: self.list(lines, Self::diff_line),
            },
            Block::Table {
                columns,
                rows,
                omitted_rows,
            } => {
                let columns = self.list(columns, |room, column| room.word(&column));
                let rows_before = rows.len();
                let rows = self.list(rows, |room, row| room.list(row, Self::cell));
                Block::Table {
                    omitted_rows: omitted_rows
                        .saturating_add((rows_before.saturating_sub(rows.len())) as u64),
                    columns,
                    rows,
                }
            }
            Block::KeyValues { pairs } => Block::KeyValues {
                pairs: self.list(pairs, Self::pair),
            },
            Block::Progress(mut progress) => {
                progress.label = self.word(&progress.label);
                Block::Progress(progress)
            }
            Block::Image {
                data,
                mime_type,
                alt,
            } => self.picture(data, &mime_type, &alt),
        }
    }

    /// Takes items for as long as there is room for text.
    fn list<T, U>(&mut self, items: Vec<T>, mut clean: impl FnMut(&mut Self, T) -> U) -> Vec<U> {
        let mut out = Vec::new();
        for item in items {
            // An item without text takes room too.
            let Some(left) = self.text_bytes.checked_sub(1) else {
                self.has_cut = true;
                break;
            };
            self.text_bytes = left;
            out.push(clean(self, item));
        }
        out
    }

    fn diff_line(&mut self, line: DiffLine) -> DiffLine {
        DiffLine {
            text: self.line(&line.text),
            ..line
        }
    }

    fn cell(&mut self, cell: Cell) -> Cell {
        Cell {
            text: self.text(&cell.text),
            ..cell
        }
    }

    fn pair(&mut self, pair: KeyValue) -> KeyValue {
        KeyValue {
            key: self.word(&pair.key),
            value: self.text(&pair.value),
        }
    }

    /// What is no picture, or too large a one, is what stands for it.
    fn picture(&mut self, data: String, mime_type: &str, alt: &str) -> Block {
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        let is_picture = mime_type.starts_with("image/") && data.bytes().all(is_base64);
        let alt = self.word(alt);
        match self.picture_bytes.checked_sub(data.len()) {
            Some(left) if is_picture => {
                self.picture_bytes = left;
                let mime_type = self.word(mime_type);
                Block::Image {
                    data,
                    mime_type,
                    alt,
                }
            }
            _ => {
                self.has_cut |= is_picture;
                Block::Text {
                    text: format!("[{alt}]"),
                }
            }
        }
    }

    fn text(&mut self, text: &str) -> String {
        let text = without_controls(text);
        let (kept, is_whole) = start(&text, self.text_bytes);
        self.has_cut |= !is_whole;
        self.text_bytes = self.text_bytes.saturating_sub(kept.len());
        kept.to_owned()
    }

    fn word(&mut self, text: &str) -> String {
        self.line(start(text, MAX_WORD_BYTES).0)
    }

    fn line(&mut self, text: &str) -> String {
        self.text(text).replace('\n', " ")
    }
}

/// Returns as much of the start as fits, and whether that is all.
fn start(text: &str, max_bytes: usize) -> (&str, bool) {
    if text.len() <= max_bytes {
        return (text, true);
    }
    let end = text.floor_char_boundary(max_bytes);
    (text.get(..end).unwrap_or_default(), false)
}

/// Takes out control characters but line ends and tabs.
fn without_controls(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    match text.chars().all(is_kept) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|c| is_kept(*c)).collect()),
    }
}
