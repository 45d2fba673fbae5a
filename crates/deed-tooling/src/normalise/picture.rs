use std::borrow::Cow;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use deed_protocol::{ContentBlock, ImageBlock};

use crate::{ImageLimits, TextLimits, fit_image, truncate_head};

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Brings every picture into a form that providers take, or says in its place why not.
pub(super) fn normalise_pictures(
    content: Vec<ContentBlock>,
    limits: Option<&ImageLimits>,
) -> Vec<ContentBlock> {
    let mut normal = Vec::with_capacity(content.len());
    for block in content {
        match block {
            ContentBlock::Image(image) => normalise_picture(image, limits, &mut normal),
            other => normal.push(other),
        }
    }
    normal
}

fn normalise_picture(
    mut image: ImageBlock,
    limits: Option<&ImageLimits>,
    normal: &mut Vec<ContentBlock>,
) {
    let Some((bytes, was_clean)) = decode_base64(&image.data) else {
        return normal.push(left_out(&image.mime_type, "its data is not base64"));
    };
    let fitted = match fit_image(&bytes, limits) {
        Ok(fitted) => fitted,
        Err(fault) => {
            let svg = as_svg(&image.mime_type, &bytes);
            let said = svg.unwrap_or_else(|| left_out(&image.mime_type, &fault.to_string()));
            return normal.push(said);
        }
    };
    let hint = fitted.hint();
    image.mime_type = fitted.kind.mime_type().to_owned();
    if !was_clean || matches!(fitted.bytes, Cow::Owned(_)) {
        image.data = STANDARD.encode(&fitted.bytes);
    }
    normal.push(ContentBlock::Image(image));
    normal.extend(hint.map(ContentBlock::text));
}

/// Returns the bytes, and whether the text was exactly their base64.
fn decode_base64(data: &str) -> Option<(Vec<u8>, bool)> {
    if let Ok(bytes) = STANDARD.decode(data) {
        return Some((bytes, true));
    }
    let payload = match data.strip_prefix("data:") {
        Some(url) => url.split_once(";base64,")?.1,
        None => data,
    };
    let payload: String = payload.split_ascii_whitespace().collect();
    LENIENT.decode(payload).ok().map(|bytes| (bytes, false))
}

fn left_out(mime_type: &str, reason: &str) -> ContentBlock {
    ContentBlock::text(format!("[image ({mime_type}) left out: {reason}]"))
}

/// Returns an SVG as the text that it is.
fn as_svg(mime_type: &str, bytes: &[u8]) -> Option<ContentBlock> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !mime_type.starts_with("image/svg") && !text.trim_start().starts_with("<svg") {
        return None;
    }
    let cut = truncate_head(text, TextLimits::default());
    let what = if cut.truncation.truncated {
        "its beginning"
    } else {
        "it"
    };
    Some(ContentBlock::text(format!(
        "[image ({mime_type}) left out: models take no SVG; {what} follows as text]\n{}",
        cut.text
    )))
}
