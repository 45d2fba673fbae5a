use std::path::Path;

/// Returns the paths that a call may mean, the one it wrote first, the plainest last.
pub(super) fn spellings(given: &str, home: Option<&Path>) -> Vec<String> {
    let mut spellings = vec![given.to_owned()];
    let plain_spaces = with_plain_spaces(given);
    for text in [given, &plain_spaces] {
        let spelling = expanded(text.strip_prefix('@').unwrap_or(text), home);
        if !spellings.contains(&spelling) {
            spellings.push(spelling);
        }
    }
    spellings
}

/// Replaces spaces that only look like one.
pub(super) fn with_plain_spaces(text: &str) -> String {
    text.chars()
        .map(|c| if is_exotic_space(c) { ' ' } else { c })
        .collect()
}

fn is_exotic_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

fn expanded(text: &str, home: Option<&Path>) -> String {
    if let Some(rest) = text.strip_prefix('~')
        && let Some(home) = home.and_then(Path::to_str)
        && (rest.is_empty() || rest.starts_with('/'))
    {
        return format!("{}{rest}", home.trim_end_matches('/'));
    }
    file_address(text).unwrap_or_else(|| text.to_owned())
}

/// Returns the path of a `file://` address of this machine.
///
/// Source: RFC 8089 §2.
fn file_address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let mut decoded = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let high = char::from(bytes.next()?).to_digit(16)?;
        let low = char::from(bytes.next()?).to_digit(16)?;
        decoded.push(u8::try_from(high * 16 + low).ok()?);
    }
    let decoded = String::from_utf8(decoded).ok()?;
    (!decoded.contains('\0')).then_some(decoded)
}
