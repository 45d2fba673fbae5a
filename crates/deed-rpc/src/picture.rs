//! Pictures of prompts, brought into a form that providers take.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deed_protocol::{ContentBlock, Extra, ImageBlock, Message, UserContent, UserMessage};
use deed_tooling::{ImageLimits, fit_image};

use crate::refusal::{PictureFault, Refusal};

/// Makes a message of a text and pictures, none larger than `limits`; what was changed of a picture stands behind the text.
pub(crate) async fn message(
    text: String,
    pictures: Vec<ImageBlock>,
    limits: Option<ImageLimits>,
    now_ms: i64,
) -> Result<Message, Refusal> {
    if pictures.is_empty() {
        return Ok(Message::user(text, now_ms));
    }
    let fitting = tokio::task::spawn_blocking(move || fitted(text, &pictures, limits.as_ref()));
    let blocks = match fitting.await {
        Ok(blocks) => blocks?,
        Err(panic) => return Err(Refusal::Panicked(panic.to_string())),
    };
    Ok(Message::User(UserMessage {
        content: UserContent::Blocks(blocks),
        timestamp: now_ms,
        extra: Extra::new(),
    }))
}

fn fitted(
    mut text: String,
    pictures: &[ImageBlock],
    limits: Option<&ImageLimits>,
) -> Result<Vec<ContentBlock>, Refusal> {
    let mut images = Vec::with_capacity(pictures.len());
    for (index, picture) in pictures.iter().enumerate() {
        let fault = |fault| Refusal::Picture { index, fault };
        let bytes = STANDARD.decode(picture.data.trim());
        let bytes = bytes.map_err(|_| fault(PictureFault::NotBase64))?;
        let fitted = fit_image(&bytes, limits);
        let fitted = fitted.map_err(|error| fault(error.into()))?;
        if let Some(hint) = fitted.hint() {
            text.push('\n');
            text.push_str(&hint);
        }
        let data = STANDARD.encode(&fitted.bytes);
        images.push(ContentBlock::image(data, fitted.kind.mime_type()));
    }
    let mut blocks = vec![ContentBlock::text(text)];
    blocks.append(&mut images);
    Ok(blocks)
}
