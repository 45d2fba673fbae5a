use std::ops::Range;

use crate::visible::Glyphs;

/// The name of an element and its class.
pub(super) type Element = (&'static str, &'static str);

/// HTML being written; only [`Html::raw`] takes markup, and only from this crate.
#[derive(Debug, Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    pub(super) fn raw(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    pub(super) fn open(&mut self, element: &'static str, class: &'static str) {
        self.out.extend(["<", element]);
        if !class.is_empty() {
            self.out.extend([" class=\"", class, "\""]);
        }
        self.out.push('>');
    }

    /// Opens an element with attributes beside the class; their values are escaped.
    pub(super) fn open_with(
        &mut self,
        element: &'static str,
        class: &'static str,
        attributes: &[(&'static str, &str)],
    ) {
        self.out.extend(["<", element]);
        let class = (!class.is_empty()).then_some(("class", class));
        for (name, value) in class.iter().chain(attributes) {
            self.out.extend([" ", name, "=\""]);
            self.attribute_text(value);
            self.out.push('"');
        }
        self.out.push('>');
    }

    pub(super) fn close(&mut self, element: &'static str) {
        self.out.extend(["</", element, ">"]);
    }

    /// Writes an element that holds text alone.
    pub(super) fn leaf(&mut self, element: &'static str, class: &'static str, text: &str) {
        self.open(element, class);
        self.text(text);
        self.close(element);
    }

    /// Writes text with what would not be seen written out; a tab stays a tab.
    pub(super) fn text(&mut self, text: &str) {
        self.marked(text, &[]);
    }

    /// Writes text with stretches of it in elements.
    ///
    /// Shape: spans are in order and do not overlap.
    pub(super) fn marked(&mut self, text: &str, spans: &[(Range<usize>, Element)]) {
        let mut spans = spans.iter().peekable();
        let mut inside: Option<&(Range<usize>, Element)> = None;
        for glyph in Glyphs::new(text, 0, true) {
            if let Some((_, (element, _))) = inside.take_if(|(range, _)| range.end <= glyph.at) {
                self.close(element);
            }
            while spans.next_if(|(range, _)| range.end <= glyph.at).is_some() {}
            if inside.is_none()
                && let Some(span) = spans.next_if(|(range, _)| range.contains(&glyph.at))
            {
                let (element, class) = span.1;
                self.open(element, class);
                inside = Some(span);
            }
            let is_tab = text.as_bytes().get(glyph.at) == Some(&b'\t');
            match (is_tab, glyph.odd) {
                (true, _) => self.out.push('\t'),
                (_, true) => {
                    self.open("span", "card-odd");
                    self.escaped(&glyph.text);
                    self.close("span");
                }
                _ => self.escaped(&glyph.text),
            }
        }
        if let Some((_, (element, _))) = inside {
            self.close(element);
        }
    }

    fn attribute_text(&mut self, text: &str) {
        for glyph in Glyphs::new(text, 0, true) {
            self.escaped(&glyph.text);
        }
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                _ => self.out.push(character),
            }
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}
