use std::borrow::Cow;

/// Room for the note that says what was cut.
const NOTE_BYTES: usize = 48;
const MAX_ESCAPE: usize = 6;

/// Cuts a text so that it takes at most `max_bytes` in JSON, and says how long it was.
pub(super) fn bounded(text: Cow<'_, str>, max_bytes: usize) -> Cow<'_, str> {
    if text.len().saturating_mul(MAX_ESCAPE) <= max_bytes {
        return text;
    }
    let mut written = 0;
    let mut keep = 0;
    for (at, character) in text.char_indices() {
        if written + NOTE_BYTES <= max_bytes {
            keep = at;
        }
        written += escaped_bytes(character);
        if written > max_bytes {
            let kept = text.get(..keep).unwrap_or_default();
            return Cow::Owned(format!("{kept}…[cut, {} bytes in all]", text.len()));
        }
    }
    text
}

fn escaped_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => MAX_ESCAPE,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_cut_text_is_within_its_bound_as_json_and_says_so() {
        for piece in ["a", "é", "\u{1}", "\"", "😀\u{0}x"] {
            for max_bytes in [64, 65, 66, 67, 68, 100, 4096] {
                let long = piece.repeat(5000);
                let cut = bounded(long.as_str().into(), max_bytes);
                let json = serde_json::to_string(&cut).unwrap();
                assert!(
                    json.len() - 2 <= max_bytes,
                    "{piece:?} {max_bytes} {}",
                    json.len()
                );
                assert!(cut.ends_with(&format!("…[cut, {} bytes in all]", long.len())));
            }
        }
    }

    #[test]
    fn a_text_that_fits_exactly_is_left_alone() {
        for text in ["\u{1}".repeat(10) + "abcd", "a".repeat(64), "\"".repeat(32)] {
            assert_eq!(bounded(text.as_str().into(), 64), text);
        }
    }
}
