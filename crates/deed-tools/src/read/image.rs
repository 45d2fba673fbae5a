use std::path::Path;

use deed_agent::ToolError;
use deed_env::ExecutionEnv;
use deed_env::file::TextSlice;
use deed_protocol::ToolResult;
use tokio_util::sync::CancellationToken;

use super::answer::Asked;
use crate::ToolBasis;
use crate::failure::tool_error;

const HEAD_BYTES: usize = 4100;

/// Names the kind of picture that a file holds; `None` if it holds none.
///
/// The head is read only if the lines read so far do not rule a picture out: those of a picture
/// begin with its signature and are never plain text without NUL.
pub(super) async fn kind_if_image(
    env: &dyn ExecutionEnv,
    path: &Path,
    slice: &TextSlice,
    asked: &Asked<'_>,
) -> Result<Option<&'static str>, ToolError> {
    let is_plain = asked.first_1based == 1
        && slice.oversized_first_line_bytes.is_none()
        && !may_begin_image(&slice.bytes);
    let is_text = !slice.bytes.is_empty()
        && !slice.bytes.contains(&0)
        && std::str::from_utf8(&slice.bytes).is_ok();
    if is_plain || is_text || slice.total_bytes == 0 {
        return Ok(None);
    }
    let head = env.read_head(path, HEAD_BYTES).await.map_err(tool_error)?;
    Ok(image_type(&head))
}

fn may_begin_image(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] = [b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"BM"];
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Names the media type of a picture by its content.
///
/// Source: the file format specifications; animated PNG counts as a picture.
fn image_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xd8, 0xff, fourth, ..] if *fourth != 0xf7 => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        [b'B', b'M', ..] if is_bmp(head) => Some("image/bmp"),
        _ if head.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") => Some("image/png"),
        _ => None,
    }
}

/// Tells a BMP from text that begins with the same two letters.
fn is_bmp(head: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let slice = head.get(at..at + bytes)?;
        Some(
            slice
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    let (Some(declared), Some(pixels), Some(header)) = (number(2, 4), number(10, 4), number(14, 4))
    else {
        return false;
    };
    let (planes, bits) = match header {
        12 => (number(22, 2), number(24, 2)),
        40..=124 => (number(26, 2), number(28, 2)),
        _ => return false,
    };
    planes == Some(1)
        && matches!(bits, Some(1 | 4 | 8 | 16 | 24 | 32))
        && pixels >= 14 + header
        && (declared == 0 || pixels < declared)
}

/// Reads a picture and brings it into a form that every model takes.
pub(super) async fn answer(
    _basis: &ToolBasis,
    path: &Path,
    kind: &'static str,
    _cancel: &CancellationToken,
) -> Result<ToolResult, ToolError> {
    Err(ToolError::Failed(format!(
        "{} is a picture ({kind})",
        path.display()
    )))
}
