//! Cards as HTML for a browser or an exported page.

mod blocks;
mod write;

use deed_protocol::{Tone, ToolCard};

use write::Html;

/// The style sheet for what [`draw_html`] writes, for light and for dark screens.
pub const CARD_CSS: &str = include_str!("html/card.css");

/// Draws a card as one `article` element.
///
/// Shape: elements with class names only, no inline style and no script. Everything from the card
/// is escaped; what would not be seen is written out in a `span` of class `card-odd`. The language
/// of code is named only if it is one of [`Language::all`](crate::Language::all). A picture is
/// embedded only if it is PNG, JPEG, GIF or WebP and its Base64 is well formed; else its
/// description stands in its place.
pub fn draw_html(card: &ToolCard) -> String {
    let mut html = Html::default();
    html.open("article", "card");
    html.open("header", header_class(card));
    html.leaf("strong", "card-title", &card.title);
    if !card.subject.is_empty() {
        html.raw(" ");
        html.leaf("code", "card-subject", &card.subject);
    }
    for badge in &card.badges {
        html.raw(" ");
        html.leaf("span", badge_class(badge.tone), &badge.text);
    }
    html.close("header");
    for block in &card.blocks {
        blocks::draw(block, card, &mut html);
    }
    html.close("article");
    html.raw("\n");
    html.finish()
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
