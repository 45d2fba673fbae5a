//! An export as one HTML page.

mod anchor;
mod prose;
mod said;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deed_protocol::{BashExecutionMessage, ToolCard};
use sha2::{Digest, Sha256};

use anchor::{anchor, draw_moment};

use super::Face;
use super::item::{ExportEntry, ExportHead, ExportItem};
use super::outline::{Heading, Opening, Outline};
use super::words;
use crate::html::blocks::draw_notice;
use crate::html::draw_card;
use crate::html::write::Html;
use crate::visible::lines;

/// The style sheet of the page: that of the cards and that of what is round them.
const STYLE: &str = concat!(
    include_str!("../html/card.css"),
    include_str!("page/page.css")
);
/// Prompts that the list of prompts names; the list is kept until the end of the page.
const MAX_LISTED_PROMPTS: usize = 2_000;
/// A page being drawn.
#[derive(Debug, Default)]
pub(super) struct Page {
    html: Html,
    outline: Outline,
    /// The first words of the prompts so far.
    labels: Vec<String>,
    in_entry: bool,
}

impl Face for Page {
    fn begin(&mut self, head: &ExportHead<'_>) {
        self.draw_head(head);
        let html = &mut self.html;
        html.raw("<body class=\"page card-palette\">\n");
        html.open("header", "page-head");
        html.leaf("h1", "", &words::title(head));
        html.open("dl", "page-facts");
        for (name, value) in words::facts(head) {
            html.open("div", "");
            html.leaf("dt", "", name);
            html.leaf("dd", "", &value);
            html.close("div");
        }
        html.close("dl");
        html.raw("<p class=\"page-note\"><a href=\"#prompts\">List of prompts</a></p>");
        html.close("header");
        html.raw("\n<main>\n");
    }

    fn item(&mut self, entry: ExportEntry<'_>, item: &ExportItem<'_>) {
        let opening = self.outline.next(entry, item);
        if !self.in_entry || opening.is_new || opening.heading.is_some() {
            self.open_entry(entry, &opening);
        }
        match *item {
            ExportItem::Prompt(content) => {
                if self.labels.len() < MAX_LISTED_PROMPTS {
                    self.labels.push(words::label(content));
                }
                said::draw_prompt(content, &mut self.html);
            }
            ExportItem::Answer(text) => prose::draw(text, &mut self.html),
            ExportItem::Thinking(text) => self.draw_thinking(text),
            ExportItem::Call { card, result_id } => self.draw_call(card, result_id),
            ExportItem::Command(message) => self.draw_command(message),
            ExportItem::Custom { content, .. } => said::draw_custom(content, &mut self.html),
            ExportItem::Summary { text, .. } => self.draw_fold("Summary", text),
            ExportItem::Change { what, value } => self.draw_change(what, value),
            ExportItem::Notice { level, text } => draw_notice(level, text, &mut self.html),
        }
        self.html.raw("\n");
    }

    fn end(&mut self) {
        self.close_entry();
        self.html.raw("</main>\n");
        self.draw_prompts();
        self.html.raw("</body>\n</html>\n");
    }

    fn pending(&mut self) -> &mut String {
        self.html.written()
    }
}

impl Page {
    fn draw_head(&mut self, head: &ExportHead<'_>) {
        let html = &mut self.html;
        html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let policy = [
            ("http-equiv", "Content-Security-Policy"),
            ("content", &policy()),
        ];
        html.open_with("meta", "", &policy);
        html.raw(concat!(
            "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            "<meta name=\"color-scheme\" content=\"light dark\">\n",
            "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
        ));
        html.plain(&words::title(head));
        html.raw("</title>\n<style>");
        html.raw(STYLE);
        html.raw("</style>\n</head>\n");
    }

    /// Opens the element of an entry, with its heading if there is one.
    fn open_entry(&mut self, entry: ExportEntry<'_>, opening: &Opening) {
        self.close_entry();
        let id = anchor(entry.id);
        let id = (opening.is_new && !id.is_empty()).then_some(("id", id.as_str()));
        let html = &mut self.html;
        let class = match &opening.heading {
            Some(Heading::Prompt(_)) => "page-entry page-prompt",
            Some(Heading::Other(_)) => "page-entry page-turn",
            None => "page-entry",
        };
        html.open_with("article", class, id.as_slice());
        html.raw("\n");
        self.in_entry = true;
        let Some(heading) = &opening.heading else {
            return;
        };
        html.open("header", "page-entry-head");
        match heading {
            Heading::Prompt(number) => {
                let id = format!("prompt-{number}");
                html.open_with("h2", "", &[("id", &id)]);
                html.open_with("a", "", &[("href", &format!("#{id}"))]);
                html.plain(&format!("Prompt {number}"));
                html.close("a");
                html.close("h2");
            }
            Heading::Other(text) => html.leaf("h3", "", text),
        }
        draw_moment(entry, html);
        html.close("header");
        html.raw("\n");
    }

    fn close_entry(&mut self) {
        if std::mem::take(&mut self.in_entry) {
            self.html.raw("</article>\n");
        }
    }

    fn draw_thinking(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.html.leaf("p", "card-muted", words::WITHHELD);
        } else {
            self.draw_fold("Thinking", text);
        }
    }

    /// Draws Markdown that a reader opens to see.
    fn draw_fold(&mut self, name: &str, text: &str) {
        let html = &mut self.html;
        html.open("details", "page-fold");
        html.open("summary", "");
        html.plain(name);
        html.raw(" ");
        html.leaf(
            "span",
            "card-muted",
            &words::count(lines(text).count(), "line"),
        );
        html.close("summary");
        prose::draw(text, html);
        html.close("details");
    }

    fn draw_call(&mut self, card: &ToolCard, result_id: &str) {
        let fold = words::fold(card);
        draw_card(card, &anchor(result_id), fold.as_deref(), &mut self.html);
    }

    fn draw_command(&mut self, message: &BashExecutionMessage) {
        self.draw_call(&words::command_card(message), "");
    }

    fn draw_change(&mut self, what: &str, value: &str) {
        let html = &mut self.html;
        html.open("p", "page-note");
        html.text(what);
        html.raw(": ");
        html.leaf("strong", "", value);
        html.close("p");
    }

    fn draw_prompts(&mut self) {
        let html = &mut self.html;
        html.raw("<nav id=\"prompts\" class=\"page-prompts\" aria-labelledby=\"prompts-title\">\n");
        html.raw("<h2 id=\"prompts-title\">Prompts</h2>\n<ol>\n");
        for (at, label) in self.labels.iter().enumerate() {
            html.open("li", "");
            html.open_with("a", "", &[("href", &format!("#prompt-{}", at + 1))]);
            html.text(label);
            html.close("a");
            html.close("li");
            html.raw("\n");
        }
        html.raw("</ol>\n");
        let left_out = self
            .outline
            .prompts
            .saturating_sub(self.labels.len() as u64);
        if left_out > 0 {
            let text = format!("and {} more", words::grouped(left_out));
            html.leaf("p", "card-muted", &text);
        }
        html.raw("</nav>\n");
    }
}

/// What the page may load: its own style, and pictures that are in it.
///
/// Source: Content Security Policy Level 3; what a `meta` element can carry of it.
fn policy() -> String {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    )
}
