use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use deed_agent::ToolError;
use deed_env::file::TextSlice;
use deed_env::{EnvError, ExecutionEnv};
use deed_protocol::{ContentBlock, ToolResult};
use deed_tooling::{ImageLimits, fit_image, sniff_image};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answer::Asked;
use crate::ToolBasis;
use crate::failure::tool_error;

/// As much of a file as tells what picture it is.
pub(super) const HEAD_BYTES: usize = 4100;

/// Larger files are not looked at as pictures.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Tells by its content whether a file is a picture.
///
/// The head is read only if the lines that were read do not rule a picture out: no picture is valid
/// UTF-8 without NUL and without its signature.
pub(super) async fn is_image(
    env: &dyn ExecutionEnv,
    path: &Path,
    slice: &TextSlice,
    asked: &Asked<'_>,
) -> Result<bool, ToolError> {
    let has_all = slice.oversized_first_line_bytes.is_none() && asked.first_1based == 1;
    let is_text = !slice.bytes.is_empty()
        && !slice.bytes.contains(&0)
        && std::str::from_utf8(&slice.bytes).is_ok();
    let may_be = if has_all {
        may_begin_image(&slice.bytes)
    } else {
        !is_text
    };
    if !may_be || slice.total_bytes == 0 {
        return Ok(false);
    }
    let head = env.read_head(path, HEAD_BYTES).await.map_err(tool_error)?;
    Ok(sniff_image(&head).is_some() && !begins_as_text(&head))
}

/// Tells whether bytes, perhaps cut within a character, are a text: one may begin like a picture.
fn begins_as_text(bytes: &[u8]) -> bool {
    let is_whole = |fault: std::str::Utf8Error| fault.error_len().is_none();
    !bytes.contains(&0) && std::str::from_utf8(bytes).err().is_none_or(is_whole)
}

fn may_begin_image(bytes: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] = [b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF", b"BM"];
    STARTS.iter().any(|start| bytes.starts_with(start))
}

/// Reads a picture and brings it into a form that models take, or says why that cannot be.
pub(super) async fn answer(
    basis: &ToolBasis,
    path: &Path,
    asked: &Asked<'_>,
    cancel: &CancellationToken,
) -> Result<ToolResult, ToolError> {
    let read = basis.env.read_bytes(path, MAX_FILE_BYTES, cancel).await;
    let bytes = match read {
        Ok(file) => file.bytes,
        Err(error @ EnvError::TooLarge { .. }) => return Ok(left_out(asked, error)),
        Err(error) => return Err(tool_error(error)),
    };
    let limits = basis.settings.images_auto_resize.then(ImageLimits::default);
    let work = move || {
        let fitted = fit_image(&bytes, limits.as_ref())?;
        let said = format!("Picture ({})", fitted.kind.mime_type());
        let text = match fitted.hint() {
            Some(hint) => format!("{said}\n{hint}"),
            None => said,
        };
        let details = json!({
            "mimeType": fitted.kind.mime_type(),
            "width": fitted.size.0,
            "height": fitted.size.1,
        });
        let data = STANDARD.encode(&fitted.bytes);
        let image = ContentBlock::image(data, fitted.kind.mime_type());
        Ok((text, image, details))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok((text, image, details))) => {
            let mut result = ToolResult::text(text).with_details(details);
            result.content.push(image);
            Ok(result)
        }
        Ok(Err(fault)) => Ok(left_out::<deed_tooling::ImageFault>(asked, fault)),
        Err(failure) => Ok(left_out(asked, failure)),
    }
}

/// Notes that the model of this moment cannot see the picture. The picture stays in the result: a
/// later model may see it.
pub(super) fn note_unsupported(result: &mut ToolResult, model_id: &str) {
    let is_image = |block: &ContentBlock| matches!(block, ContentBlock::Image(_));
    if result.content.iter().any(is_image)
        && let Some(Value::Object(details)) = &mut result.details
    {
        details.insert("imageUnsupportedByModel".to_owned(), model_id.into());
    }
}

fn left_out<E: std::fmt::Display>(asked: &Asked<'_>, reason: E) -> ToolResult {
    let text = format!("[{} is a picture, left out: {reason}]", asked.path);
    ToolResult::text(text).with_details(json!({ "imageLeftOut": reason.to_string() }))
}
