//! Prints one card of each kind: `gallery [WIDTH] [plain] [ascii] [expanded] [html]`.
#![allow(clippy::print_stdout, missing_docs, reason = "an example to look at")]

use deed_cards::{CARD_CSS, CardText, draw_html, draw_text};

#[path = "../tests/it/samples.rs"]
mod samples;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let options = CardText {
        width: words
            .iter()
            .find_map(|word| word.parse().ok())
            .unwrap_or(80),
        colour: !has("plain"),
        unicode: !has("ascii"),
        expanded: has("expanded"),
        ..CardText::default()
    };
    if has("html") {
        println!(
            "<!doctype html><meta charset=\"utf-8\"><title>Cards</title><style>{CARD_CSS}</style>"
        );
    }
    for (_, card) in samples::all() {
        let drawn = if has("html") {
            draw_html(&card)
        } else {
            draw_text(&card, &options)
        };
        println!("{drawn}");
    }
}
