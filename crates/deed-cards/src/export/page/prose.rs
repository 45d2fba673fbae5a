//! Markdown as HTML of our own elements: nothing of it is passed through.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Parser, Tag};

use crate::export::link::is_safe;
use crate::export::markdown::{OPTIONS, is_too_much};
use crate::html::blocks::{draw_code, draw_lines};
use crate::html::write::Html;

/// Elements that stand in one another; deeper ones are left out, what is in them is not.
const MAX_DEPTH: usize = 32;
/// Characters of a target that is shown instead of being followed.
const MAX_TARGET_CHARACTERS: usize = 200;

/// Draws Markdown, or plain text where reading it as Markdown would take too long.
pub(super) fn draw(text: &str, html: &mut Html) {
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    if is_too_much(text) {
        html.open("div", "page-said");
        draw_lines(text, html);
        return html.close("div");
    }
    html.open("div", "prose");
    let mut prose = Prose {
        html,
        open: Vec::new(),
        code: None,
        label: None,
        columns: Columns::default(),
    };
    for event in Parser::new_ext(text, OPTIONS) {
        prose.event(event);
    }
    html.close("div");
}

struct Prose<'h> {
    html: &'h mut Html,
    open: Vec<Open>,
    /// The language and the text of the code block that is being read.
    code: Option<(String, String)>,
    /// The words of the link that is being read.
    label: Option<String>,
    columns: Columns,
}

/// What ends when the innermost part of the text does.
#[derive(Debug)]
enum Open {
    /// Nothing was written for it.
    Nothing,
    Elements(&'static [&'static str]),
    Code,
    /// A link to be followed.
    Link(String),
    /// A link that is not followed: its target stands beside it.
    Target(String),
    /// A picture that is not loaded.
    Picture(String),
    Head,
}

#[derive(Debug, Default)]
struct Columns {
    classes: Vec<&'static str>,
    at: usize,
    in_head: bool,
}

impl Prose<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => {
                let open = self.start(tag);
                self.open.push(open);
            }
            Event::End(_) => {
                if let Some(open) = self.open.pop() {
                    self.end(open);
                }
            }
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.name_link(&text);
                self.html.leaf("code", "", &text);
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
            Event::SoftBreak => self.html.raw("\n"),
            Event::HardBreak => self.html.open("br", ""),
            Event::Rule => self.html.open("hr", ""),
            Event::TaskListMarker(done) => {
                let (sign, name) = if done {
                    ("☑", "done")
                } else {
                    ("☐", "to do")
                };
                let attributes = [("role", "img"), ("aria-label", name)];
                self.html.open_with("span", "", &attributes);
                self.html.raw(sign);
                self.html.close("span");
                self.html.raw(" ");
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
        } else {
            self.name_link(text);
            draw_lines(text, self.html);
            if text.ends_with('\n') {
                self.html.raw("\n");
            }
        }
    }

    fn name_link(&mut self, text: &str) {
        if let Some(label) = &mut self.label {
            label.push_str(text);
        }
    }

    fn start(&mut self, tag: Tag<'_>) -> Open {
        let parent_is_drawn = !matches!(self.open.last(), Some(Open::Nothing));
        let is_drawn = match tag {
            // Parts of a list or a table stand or fall with it.
            Tag::Item | Tag::TableHead | Tag::TableRow | Tag::TableCell => parent_is_drawn,
            _ => self.open.len() < MAX_DEPTH,
        };
        match tag {
            Tag::CodeBlock(kind) => {
                self.code = Some((language(&kind), String::new()));
                return Open::Code;
            }
            Tag::Link {
                dest_url,
                link_type,
                ..
            } => {
                let is_email = matches!(link_type, pulldown_cmark::LinkType::Email);
                let scheme = if is_email { "mailto:" } else { "" };
                return self.start_link(format!("{scheme}{dest_url}"), is_drawn);
            }
            Tag::Image { dest_url, .. } => {
                self.name_link("image");
                self.html.raw("[image: ");
                return Open::Picture(dest_url.into_string());
            }
            _ if !is_drawn => return Open::Nothing,
            _ => {}
        }
        self.start_element(tag)
    }

    fn start_element(&mut self, tag: Tag<'_>) -> Open {
        let (class, elements): (_, &'static [&'static str]) = match tag {
            Tag::Paragraph => ("", &["p"]),
            Tag::Heading { level, .. } => ("", heading(level)),
            Tag::BlockQuote(_) => ("", &["blockquote"]),
            Tag::HtmlBlock => ("prose-markup", &["p"]),
            Tag::List(None) => ("", &["ul"]),
            Tag::List(Some(first)) => {
                let first = first.to_string();
                self.html.open_with("ol", "", &[("start", &first)]);
                return Open::Elements(&["ol"]);
            }
            Tag::Item => ("", &["li"]),
            Tag::Emphasis => ("", &["em"]),
            Tag::Strong => ("", &["strong"]),
            Tag::Strikethrough => ("", &["del"]),
            Tag::Table(alignments) => {
                self.columns.classes = alignments.iter().map(column_class).collect();
                // It may scroll sideways, which a keyboard must reach.
                let attributes = [
                    ("role", "region"),
                    ("aria-label", "table"),
                    ("tabindex", "0"),
                ];
                self.html.open_with("div", "prose-wide", &attributes);
                self.html.open("table", "");
                return Open::Elements(&["tbody", "table", "div"]);
            }
            Tag::TableHead => {
                self.html.raw("<thead><tr>");
                self.columns.at = 0;
                self.columns.in_head = true;
                return Open::Head;
            }
            Tag::TableRow => {
                self.columns.at = 0;
                ("", &["tr"])
            }
            Tag::TableCell => return self.start_cell(),
            _ => return Open::Nothing,
        };
        for element in elements {
            self.html.open(element, class);
        }
        Open::Elements(elements)
    }

    fn start_cell(&mut self) -> Open {
        let class = self.columns.classes.get(self.columns.at).copied();
        let class = class.unwrap_or_default();
        self.columns.at += 1;
        if self.columns.in_head {
            self.html.open_with("th", class, &[("scope", "col")]);
            Open::Elements(&["th"])
        } else {
            self.html.open("td", class);
            Open::Elements(&["td"])
        }
    }

    fn start_link(&mut self, target: String, is_drawn: bool) -> Open {
        // Links do not nest in Markdown; in a page they must not.
        if self.label.is_some() {
            return Open::Nothing;
        }
        self.label = Some(String::new());
        if !is_drawn || !is_safe(&target) {
            return Open::Target(target);
        }
        let attributes = [("href", target.as_str()), ("rel", "noopener noreferrer")];
        self.html.open_with("a", "", &attributes);
        Open::Link(target)
    }

    fn end(&mut self, open: Open) {
        match open {
            Open::Nothing => {}
            Open::Elements(elements) => {
                for element in elements {
                    self.html.close(element);
                }
            }
            Open::Code => {
                if let Some((language, code)) = self.code.take() {
                    draw_code(&code, &language, None, self.html);
                }
            }
            Open::Link(target) => {
                if self
                    .label
                    .take()
                    .is_none_or(|label| label.trim().is_empty())
                {
                    self.html.text(&target);
                }
                self.html.close("a");
            }
            Open::Target(target) => {
                if self.label.take().as_deref() != Some(&target) {
                    self.draw_target(&target);
                }
            }
            Open::Picture(target) => {
                self.html.raw("]");
                self.draw_target(&target);
            }
            Open::Head => {
                self.html.raw("</tr></thead><tbody>");
                self.columns.in_head = false;
            }
        }
    }

    fn draw_target(&mut self, target: &str) {
        let mut rest = target.char_indices().skip(MAX_TARGET_CHARACTERS);
        let shown = match rest.next() {
            Some((end, _)) => &format!("{}\u{2026}", target.get(..end).unwrap_or_default()),
            None => target,
        };
        if !shown.is_empty() {
            self.html.raw(" ");
            self.html.leaf("code", "prose-target", shown);
        }
    }
}

fn heading(level: HeadingLevel) -> &'static [&'static str] {
    match level {
        HeadingLevel::H1 => &["h4"],
        HeadingLevel::H2 => &["h5"],
        _ => &["h6"],
    }
}

fn column_class(alignment: &Alignment) -> &'static str {
    match alignment {
        Alignment::Right => "prose-right",
        Alignment::Center => "prose-center",
        Alignment::Left | Alignment::None => "",
    }
}

/// The language of a code block: the first word beside its fence.
fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => {
            let word = info.split([' ', '\t', ',', ':', '{']).next();
            word.unwrap_or_default().to_owned()
        }
        CodeBlockKind::Indented => String::new(),
    }
}
