use std::ops::Range;

use crate::visible::{Glyph, Glyphs};

/// The name of an element and its class.
pub(crate) type Element = (&'static str, &'static str);

/// HTML being written; only [`Html::raw`] takes markup, and only from this crate.
#[derive(Debug, Default)]
pub(crate) struct Html {
    out: String,
}

impl Html {
    pub(crate) fn raw(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    pub(crate) fn open(&mut self, element: &'static str, class: &'static str) {
        self.out.extend(["<", element]);
        if !class.is_empty() {
            self.out.extend([" class=\"", class, "\""]);
        }
        self.out.push('>');
    }

    /// Opens an element with attributes beside the class; their values are escaped.
    pub(crate) fn open_with(
        &mut self,
        element: &'static str,
        class: &'static str,
        attributes: &[(&'static str, &str)],
    ) {
        self.out.extend(["<", element]);
        let class = (!class.is_empty()).then_some(("class", class));
        for (name, value) in class.iter().chain(attributes) {
            self.out.extend([" ", name, "=\""]);
            self.plain(value);
            self.out.push('"');
        }
        self.out.push('>');
    }

    pub(crate) fn close(&mut self, element: &'static str) {
        self.out.extend(["</", element, ">"]);
    }

    /// Writes an element that holds text alone.
    pub(crate) fn leaf(&mut self, element: &'static str, class: &'static str, text: &str) {
        self.open(element, class);
        self.text(text);
        self.close(element);
    }

    /// Writes text with what would not be seen written out; a tab stays a tab.
    pub(crate) fn text(&mut self, text: &str) {
        let mut glyphs = Glyphs::new(text, 0, true);
        loop {
            self.escaped(glyphs.plain_run());
            let Some(glyph) = glyphs.next() else { return };
            self.glyph(&glyph, text);
        }
    }

    /// Writes text with stretches of it in elements.
    ///
    /// Shape: spans are in order and do not overlap.
    pub(crate) fn marked(&mut self, text: &str, spans: &[(Range<usize>, Element)]) {
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
            self.glyph(&glyph, text);
        }
        if let Some((_, (element, _))) = inside {
            self.close(element);
        }
    }

    /// Writes one glyph of a text.
    fn glyph(&mut self, glyph: &Glyph<'_>, text: &str) {
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

    /// Writes text where no element may stand; what would not be seen is written out.
    pub(crate) fn plain(&mut self, text: &str) {
        let mut glyphs = Glyphs::new(text, 0, true);
        loop {
            self.escaped(glyphs.plain_run());
            let Some(glyph) = glyphs.next() else { return };
            self.escaped(&glyph.text);
        }
    }

    fn escaped(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            let (before, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.out.push_str(before);
            let entity = match special.as_bytes().first() {
                Some(b'&') => "&amp;",
                Some(b'<') => "&lt;",
                Some(b'>') => "&gt;",
                Some(b'"') => "&quot;",
                _ => "&#39;",
            };
            self.out.push_str(entity);
            rest = special.get(1..).unwrap_or_default();
        }
        self.out.push_str(rest);
    }

    /// What was written so far.
    pub(crate) fn written(&mut self) -> &mut String {
        &mut self.out
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}
