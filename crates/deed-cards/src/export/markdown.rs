//! How Markdown of a session is read.

use pulldown_cmark::Options;

/// What Markdown may hold beside CommonMark.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Longest text that is read as Markdown.
const MAX_BYTES: usize = 512 * 1024;
/// Marks of quotes and list items that one line may begin with: reading takes time that grows with
/// their number times that of the lines.
const MAX_CONTAINERS: usize = 64;

/// Whether a text is too long or too deep to be read as Markdown.
pub(super) fn is_too_much(text: &str) -> bool {
    text.len() > MAX_BYTES || text.lines().any(|line| containers(line) > MAX_CONTAINERS)
}

/// An upper bound of the quotes and list items that a line opens.
fn containers(line: &str) -> usize {
    let is_mark = |byte: &u8| b">*-+.) \t".contains(byte) || byte.is_ascii_digit();
    let start = line.bytes().take_while(is_mark);
    let mut count = 0;
    let mut before = b' ';
    for byte in start {
        let ends_item = byte.is_ascii_whitespace() && b"*-+.)".contains(&before);
        count += usize::from(byte == b'>' || ends_item);
        before = byte;
    }
    count
}
