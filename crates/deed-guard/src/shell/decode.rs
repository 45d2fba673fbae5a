//! What a word means, if that is certain.

use tree_sitter::Node;

/// More text than a person would check.
const MAX_BYTES: usize = 32 * 1024;

/// Says why a text is not worth a parse.
pub(super) fn refusal(text: &str) -> Option<&'static str> {
    if text.len() > MAX_BYTES {
        return Some("the text is longer than 32 KiB");
    }
    text.chars().find_map(|c| match c {
        '\n' | '\t' => None,
        c if c.is_control() => Some("the text has control characters"),
        c if !c.is_ascii() && (c.is_whitespace() || is_invisible(c)) => {
            Some("the text has white space or invisible characters that are not ASCII")
        }
        _ => None,
    })
}

/// Joiners, marks of direction and the byte order mark: a reader of the text does not see them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A word that is certain.
pub(super) struct Word {
    pub(super) value: String,
    /// Whether no part of it was quoted, so that bash may take it for a keyword.
    pub(super) is_bare: bool,
}

/// Decodes a word; `None` unless bash takes it for exactly this value, wherever it stands.
pub(super) fn word(node: Node<'_>, text: &str) -> Option<Word> {
    if let Some(value) = with_empty_braces(node, text) {
        let is_bare = true;
        return Some(Word { value, is_bare });
    }
    if node.kind() != "concatenation" {
        return Some(Word {
            value: piece(node, text)?,
            is_bare: matches!(node.kind(), "word" | "number"),
        });
    }
    let mut value = String::new();
    let mut end = node.start_byte();
    for child in node.children(&mut node.walk()) {
        if child.start_byte() != end {
            return None;
        }
        value.push_str(&piece(child, text)?);
        end = child.end_byte();
    }
    let is_bare = false;
    (end == node.end_byte()).then_some(Word { value, is_bare })
}

/// Empty braces (`{}` for `find` and `xargs`) mean themselves.
fn with_empty_braces(node: Node<'_>, text: &str) -> Option<String> {
    let source = text.get(node.byte_range())?;
    let rest = source.replace("{}", "");
    let is_literal = rest.len() < source.len() && (rest.is_empty() || is_plain(&rest));
    (is_literal && matches!(node.kind(), "word" | "concatenation")).then(|| source.to_owned())
}

fn piece(node: Node<'_>, text: &str) -> Option<String> {
    let source = text.get(node.byte_range())?;
    let value = match node.kind() {
        "word" | "number" => is_plain(source).then_some(source)?,
        "raw_string" => source.strip_prefix('\'')?.strip_suffix('\'')?,
        "string" => {
            let inside = source.strip_prefix('"')?.strip_suffix('"')?;
            (!inside.contains(['$', '`', '\\', '"'])).then_some(inside)?
        }
        _ => return None,
    };
    Some(value.to_owned())
}

/// Whether unquoted text means itself.
///
/// A tilde does so behind a letter or digit (`HEAD~1`); elsewhere it may stand for a folder.
fn is_plain(source: &str) -> bool {
    let mut before = None;
    !source.is_empty()
        && source.bytes().all(|byte| {
            let is_fine = match byte {
                b'~' => before.is_some_and(|b: u8| b.is_ascii_alphanumeric()),
                _ => byte.is_ascii_alphanumeric() || b"_@%+=:,./^-".contains(&byte),
            };
            before = Some(byte);
            is_fine
        })
}

/// Whether bash takes an unquoted first word for something other than the name of a command.
pub(super) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "if", "then", "elif", "else", "fi", "case", "esac", "for", "select", "while", "until",
        "do", "done", "in", "function",
    ];
    word.contains('=') || KEYWORDS.contains(&word)
}
