//! Cards as HTML for a browser or an exported page.

pub(crate) mod blocks;
pub(crate) mod write;

use deed_protocol::{Tone, ToolCard};

use write::Html;

/// The style sheet for what [`draw_html`] writes, for light and for dark screens.
pub const CARD_CSS: &str = include_str!("html/card.css");

/// Draws a card as one `article` element.
///
/// Shape: elements with class names only, no inline style and no script. Everything from the card
/// is escaped; what would not be seen is written out in a `span` of class `card-odd`. The language
/// of code is named only if it is one of [`Language::all`](crate::Language::all). A picture is
/// embedded only if its first bytes are those of PNG, JPEG, GIF or WebP and its Base64 is well
/// formed; else its description stands in its place.
pub fn draw_html(card: &ToolCard) -> String {
    let mut html = Html::default();
    draw_card(card, "", None, &mut html);
    html.finish()
}

/// Draws a card with an id, if it has one; folded under its header if a word says how much that is.
pub(crate) fn draw_card(card: &ToolCard, id: &str, fold: Option<&str>, html: &mut Html) {
    let id = (!id.is_empty()).then_some(("id", id));
    html.open_with("article", "card", id.as_slice());
    if let Some(size) = fold {
        html.open("details", "");
        html.open("summary", header_class(card));
        draw_header(card, html);
        html.raw(" ");
        html.leaf("span", "card-badge card-size", size);
        html.close("summary");
    } else {
        html.open("header", header_class(card));
        draw_header(card, html);
        html.close("header");
    }
    for block in &card.blocks {
        blocks::draw(block, card, html);
    }
    if fold.is_some() {
        html.close("details");
    }
    html.close("article");
    html.raw("\n");
}

fn draw_header(card: &ToolCard, html: &mut Html) {
    html.leaf("strong", "card-title", &card.title);
    if !card.subject.is_empty() {
        html.raw(" ");
        html.leaf("code", "card-subject", &card.subject);
    }
    for badge in &card.badges {
        html.raw(" ");
        html.leaf("span", badge_class(badge.tone), &badge.text);
    }
}

fn header_class(card: &ToolCard) -> &'static str {
    match crate::text::status(card) {
        Tone::Good => "card-header card-good",
        Tone::Warning => "card-header card-warning",
        Tone::Bad => "card-header card-bad",
        Tone::Plain | Tone::Muted => "card-header",
    }
}

fn badge_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "card-badge",
        Tone::Muted => "card-badge card-muted",
        Tone::Good => "card-badge card-good",
        Tone::Warning => "card-badge card-warning",
        Tone::Bad => "card-badge card-bad",
    }
}
