//! Cards as a reader sees them, through the public surface.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod export;
mod highlighting;
mod hostile;
mod html;
mod properties;
mod samples;
mod text;

use deed_cards::{CardText, draw_text};
use deed_protocol::ToolCard;

/// Draws without colour.
fn plain(card: &ToolCard, width: usize) -> String {
    draw_text(
        card,
        &CardText {
            width,
            ..CardText::default()
        },
    )
}

/// Draws with each escape code written as `‹parameters›`.
fn coloured(card: &ToolCard, width: usize) -> String {
    let drawn = draw_text(
        card,
        &CardText {
            width,
            colour: true,
            ..CardText::default()
        },
    );
    let mut parts = drawn.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (code, rest) = part.split_once('m').unwrap();
        text + "‹" + code.trim_start_matches('0') + "›" + rest
    })
}
