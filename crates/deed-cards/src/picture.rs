//! What can be told about a picture without decoding it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Media types that a browser shows and that cannot carry script.
const SHOWN_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Base64 characters that hold the beginnings by which their files are known.
const MAGIC_CHARACTERS: usize = 16;
/// How much of a picture is searched for its size: embedded previews can stand before it in JPEG.
const MAX_HEADER_CHARACTERS: usize = 256 * 1024;

/// The media type under which the picture may stand in a page as a data URI, if it may.
///
/// The first bytes say what it is; what it was called must be one of the four, but may be another,
/// since models and people mistake one for the other.
pub(crate) fn embedded_type(data: &str, mime_type: &str) -> Option<&'static str> {
    let body = data.trim_end_matches('=');
    let is_base64 = data.len().is_multiple_of(4)
        && data.len() - body.len() <= 2
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    if !is_base64 || !SHOWN_TYPES.contains(&mime_type) {
        return None;
    }
    let start = data.get(..data.len().min(MAGIC_CHARACTERS))?;
    type_of(&STANDARD.decode(start).ok()?)
}

/// The media type of a file by its first bytes.
fn type_of(file: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| file.starts_with(magic);
    if begins(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if begins(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if begins(b"GIF87a") || begins(b"GIF89a") {
        Some("image/gif")
    } else if begins(b"RIFF") && file.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// What is said in place of a picture: its media type, its size and what it shows.
pub(crate) fn label(data: &str, mime_type: &str, alt: &str) -> String {
    let mut label = format!("image {mime_type}");
    if let Some((width, height)) = pixels(data) {
        label.push_str(&format!(" {width}\u{d7}{height}"));
    }
    if !alt.is_empty() {
        label.extend([", ", alt]);
    }
    label
}

/// Width and height in pixels, as the header of the file gives them.
///
/// Source: PNG (W3C, IHDR), GIF89a, JPEG (ITU-T T.81 B.2.2), WebP container (RFC 9649).
pub(crate) fn pixels(data: &str) -> Option<(u64, u64)> {
    let length = data.len().min(MAX_HEADER_CHARACTERS) / 4 * 4;
    let bytes = STANDARD.decode(data.get(..length)?).ok()?;
    let at = |from: usize, length: usize| bytes.get(from..from + length);
    let big = |from, length| {
        Some(
            at(from, length)?
                .iter()
                .fold(0, |n, &b| n << 8 | u64::from(b)),
        )
    };
    let little = |from, length| {
        Some(
            at(from, length)?
                .iter()
                .rev()
                .fold(0, |n, &b| n << 8 | u64::from(b)),
        )
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some((big(16, 4)?, big(20, 4)?));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6, 2)?, little(8, 2)?));
    }
    if bytes.starts_with(b"RIFF") && at(8, 4)? == b"WEBP" {
        return match at(12, 4)? {
            b"VP8X" => Some((little(24, 3)? + 1, little(27, 3)? + 1)),
            b"VP8L" => {
                let packed: u64 = little(21, 4)?;
                Some(((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1))
            }
            b"VP8 " => Some((little(26, 2)? & 0x3fff, little(28, 2)? & 0x3fff)),
            _ => None,
        };
    }
    if bytes.starts_with(b"\xff\xd8") {
        let mut from = 2;
        while *bytes.get(from)? == 0xff {
            let marker = *bytes.get(from + 1)?;
            let is_frame = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
            if is_frame {
                return Some((big(from + 7, 2)?, big(from + 5, 2)?));
            }
            // A fill byte stands before a marker; all others here have a length.
            from += if marker == 0xff {
                1
            } else {
                2 + usize::try_from(big(from + 2, 2)?).ok()?
            };
        }
    }
    None
}
