use std::borrow::Cow;
use std::fmt::Write;

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';

/// Turns the output of a command into text that a model can read and every wire can carry.
///
/// Escape sequences are gone, and so is what a lone carriage return or a backspace overwrites, as
/// on a terminal: of a progress line the last state is left. CRLF is LF. Other control characters
/// are written out, NUL as `\x00`. What is not UTF-8 becomes U+FFFD. A byte order mark at the
/// beginning is dropped. The number of line ends stays the same.
pub fn decode_for_model(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut decoded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        decode_line(last_state(&without_escapes(line)), &mut decoded);
        decoded.push_str(end);
    }
    decoded
}

fn is_plain(c: char) -> bool {
    c == '\n' || c == '\t' || !c.is_control()
}

/// Returns what a line shows after its carriage returns. What only moves back at its end, as behind
/// the last state of a progress line, overwrites nothing.
fn last_state(line: &str) -> &str {
    let line = line.trim_end_matches(['\r', '\u{8}']);
    line.rsplit('\r').next().unwrap_or(line)
}

fn decode_line(line: &str, decoded: &mut String) {
    let start = decoded.len();
    for c in line.chars() {
        match c {
            '\u{8}' => {
                if decoded.len() > start {
                    decoded.pop();
                }
            }
            c if is_plain(c) => decoded.push(c),
            c => {
                let written = write!(decoded, "\\x{:02x}", u32::from(c));
                debug_assert!(written.is_ok(), "writing to a string does not fail");
            }
        }
    }
}

/// Takes escape sequences out of one line.
///
/// Source: ECMA-48 §5.4 (control sequences) and §5.6 (control strings). A sequence that the line
/// does not finish ends with the line.
fn without_escapes(line: &str) -> Cow<'_, str> {
    if !line.contains(ESC) {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(ESC) {
        kept.push_str(before);
        rest = skip_sequence(after);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns what follows the sequence that `text` stands in, just behind its ESC.
fn skip_sequence(text: &str) -> &str {
    let mut chars = text.chars();
    match chars.next() {
        Some('[') => skip_final(
            skip_while(chars.as_str(), '\u{20}', '\u{3f}'),
            '\u{40}',
            '\u{7e}',
        ),
        Some(']' | 'P' | 'X' | '^' | '_') => skip_string(chars.as_str()),
        Some('\u{20}'..='\u{2f}') => skip_final(
            skip_while(chars.as_str(), '\u{20}', '\u{2f}'),
            '\u{30}',
            '\u{7e}',
        ),
        Some('\u{30}'..='\u{7e}') => chars.as_str(),
        _ => text,
    }
}

fn skip_while(text: &str, from: char, to: char) -> &str {
    text.trim_start_matches(|c| (from..=to).contains(&c))
}

fn skip_final(text: &str, from: char, to: char) -> &str {
    text.strip_prefix(|c| (from..=to).contains(&c))
        .unwrap_or(text)
}

/// Skips a control string up to BEL or ESC `\`.
fn skip_string(text: &str) -> &str {
    match text.split_once([BEL, ESC]) {
        None => "",
        Some((before, after)) => match text.get(before.len()..).unwrap_or_default() {
            at_end if at_end.starts_with(BEL) => after,
            at_end => after.strip_prefix('\\').unwrap_or(at_end),
        },
    }
}
