//! What a person, a program or an extension said.

use deed_protocol::{ImageBlock, UserContent};

use super::prose;
use crate::export::words::{self, Part};
use crate::html::blocks::{draw_image, draw_lines};
use crate::html::write::Html;
use crate::picture::{embedded_type, label};
use crate::visible::lines;

/// Lines of a prompt above which it is folded, and how many are then shown.
const MAX_PROMPT_LINES: usize = 60;
const SHOWN_PROMPT_LINES: usize = 20;

/// Draws a prompt to the letter.
pub(super) fn draw_prompt(content: &UserContent, html: &mut Html) {
    draw_parts(content, draw_prompt_text, html);
}

/// Draws a message of an extension as Markdown.
pub(super) fn draw_custom(content: &UserContent, html: &mut Html) {
    draw_parts(content, prose::draw, html);
}

fn draw_parts(content: &UserContent, draw_text: fn(&str, &mut Html), html: &mut Html) {
    for part in words::parts(content) {
        match part {
            Part::Text(text) => draw_text(text, html),
            Part::Picture(image) => draw_picture(image, html),
            Part::Other => html.leaf("p", "card-muted", words::OTHER),
        }
    }
}

fn draw_prompt_text(text: &str, html: &mut Html) {
    let text = text.trim_end();
    let count = lines(text).count();
    if count <= MAX_PROMPT_LINES {
        return draw_said(text, html);
    }
    let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let cut = ends.nth(SHOWN_PROMPT_LINES - 1).unwrap_or(text.len());
    let (start, rest) = text.split_at_checked(cut).unwrap_or((text, ""));
    draw_said(start, html);
    html.open("details", "page-fold");
    html.open("summary", "");
    html.plain(&words::count(count - SHOWN_PROMPT_LINES, "more line"));
    html.close("summary");
    draw_said(rest, html);
    html.close("details");
}

fn draw_picture(image: &ImageBlock, html: &mut Html) {
    let ImageBlock {
        data, mime_type, ..
    } = image;
    // Where it cannot be shown, its type and size stand in its place anyway.
    let alt = match embedded_type(data, mime_type) {
        Some(real_type) => label(data, real_type, ""),
        None => String::new(),
    };
    draw_image(data, mime_type, &alt, html);
}

fn draw_said(text: &str, html: &mut Html) {
    if !text.is_empty() {
        html.open("div", "page-said");
        draw_lines(text, html);
        html.close("div");
    }
}
