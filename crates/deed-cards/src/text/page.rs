use std::ops::Range;

use super::CardText;
use super::line::Line;
use super::style::{ASCII, Signs, Style, UNICODE};
use crate::visible::Glyphs;

/// Width below which the rule beside the body is left out.
const MIN_WIDTH_FOR_RULE: usize = 16;

/// The lines drawn so far.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) options: &'a CardText,
    pub(super) signs: &'static Signs,
    lines: Vec<Line>,
    space_wanted: bool,
}

/// Untrusted text with what is set off in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Styled<'a> {
    pub(super) text: &'a str,
    pub(super) base: Style,
    /// In order and without overlap, in bytes of the text.
    pub(super) spans: &'a [(Range<usize>, Style)],
}

impl<'a> Styled<'a> {
    pub(super) fn new(text: &'a str, base: Style) -> Self {
        Self {
            text,
            base,
            spans: &[],
        }
    }
}

/// What happens to text that is longer than the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Cut,
    /// It goes on in the next line, at any character.
    Wrap,
    /// It goes on in the next line, at a blank where there is one.
    Words,
}

/// Which lines of a long block are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    Start,
    /// Start and end, the end more.
    Ends,
}

impl<'a> Page<'a> {
    pub(super) fn new(options: &'a CardText) -> Self {
        let signs = if options.unicode { &UNICODE } else { &ASCII };
        Self {
            options,
            signs,
            lines: Vec::new(),
            space_wanted: false,
        }
    }

    /// What a front end wants of lines that are too long.
    pub(super) fn flow(&self) -> Flow {
        if self.options.expanded {
            Flow::Wrap
        } else {
            Flow::Cut
        }
    }

    /// An empty line over the whole width.
    pub(super) fn blank(&self) -> Line {
        Line::new(self.options.width)
    }

    /// An empty line of the body, beside the rule.
    pub(super) fn body(&self) -> Line {
        if self.options.width < MIN_WIDTH_FOR_RULE {
            return self.blank();
        }
        self.blank()
            .blanks(2)
            .sign(Style::Muted, self.signs.rule)
            .blanks(1)
    }

    pub(super) fn push(&mut self, line: Line) {
        if std::mem::take(&mut self.space_wanted) {
            self.lines.push(self.body());
        }
        self.lines.push(line);
    }

    /// Asks for an empty line before the next one, if one comes.
    pub(super) fn space_before_next(&mut self, wanted: bool) {
        self.space_wanted = wanted;
    }

    /// Puts text behind a lead; further lines are indented as far.
    pub(super) fn put(&mut self, lead: Line, text: Styled<'_>, flow: Flow) {
        if flow == Flow::Cut {
            let line = self.cut(lead, text);
            return self.push(line);
        }
        let body = self.body();
        let indent = lead
            .width()
            .min(lead.limit() / 2)
            .saturating_sub(body.width());
        for line in self.wrap(lead, &body.blanks(indent), text, flow) {
            self.push(line);
        }
    }

    /// Fills the line with the text, with an ellipsis where it does not fit.
    pub(super) fn cut(&self, mut line: Line, text: Styled<'_>) -> Line {
        let mut spans = text.spans.iter().peekable();
        let mut mark = None;
        for glyph in Glyphs::new(text.text, 0, self.options.unicode) {
            if glyph.width > line.room() {
                if let Some(mark) = mark {
                    line.rewind(mark);
                }
                return line.sign(Style::Muted, self.signs.ellipsis);
            }
            if mark.is_none() && glyph.width + self.ellipsis_width() > line.room() {
                mark = Some(line.mark());
            }
            while spans.next_if(|(range, _)| range.end <= glyph.at).is_some() {}
            let style = match spans.peek() {
                _ if glyph.odd => Style::Odd,
                Some((range, style)) if range.contains(&glyph.at) => *style,
                _ => text.base,
            };
            line.push(style, &glyph.text, glyph.width);
        }
        line
    }

    pub(super) fn ellipsis_width(&self) -> usize {
        if self.options.unicode { 1 } else { 3 }
    }

    /// The lines of a text in a column.
    pub(super) fn wrap_in(&self, width: usize, text: Styled<'_>) -> Vec<Line> {
        self.wrap(Line::new(width), &Line::new(width), text, Flow::Words)
    }

    /// The lines of a text: the first behind one lead, the others behind another.
    fn wrap(&self, first: Line, next: &Line, text: Styled<'_>, flow: Flow) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = text.text;
        let mut offset = 0;
        let mut spans = text.spans;
        let mut line = first;
        loop {
            let taken = self.fitting(&line, rest, flow);
            // A line that not one glyph fits gives way to the next, unless that is no wider.
            if taken == 0 && !rest.is_empty() && !lines.is_empty() {
                lines.push(line.sign(Style::Muted, self.signs.ellipsis));
                return lines;
            }
            let (now, later) = rest.split_at_checked(taken).unwrap_or((rest, ""));
            let passed = spans
                .iter()
                .take_while(|(range, _)| range.end <= offset)
                .count();
            spans = spans.get(passed..).unwrap_or_default();
            let here = spans
                .iter()
                .take_while(|(range, _)| range.start < offset + taken);
            let here: Vec<_> = here
                .map(|(range, style)| {
                    (
                        range.start.saturating_sub(offset)..range.end - offset,
                        *style,
                    )
                })
                .collect();
            let filled = self.cut(
                line,
                Styled {
                    text: now,
                    base: text.base,
                    spans: &here,
                },
            );
            lines.push(filled);
            offset += taken;
            rest = later;
            if flow == Flow::Words {
                let trimmed = rest.trim_start_matches(' ');
                offset += rest.len() - trimmed.len();
                rest = trimmed;
            }
            if rest.is_empty() {
                return lines;
            }
            line = next.clone();
        }
    }

    /// How many bytes of the text fit the line.
    fn fitting(&self, line: &Line, text: &str, flow: Flow) -> usize {
        let mut room = line.room();
        let mut last_blank = None;
        for glyph in Glyphs::new(text, 0, self.options.unicode) {
            if glyph.width > room {
                let at_word = last_blank.filter(|_| flow == Flow::Words && &*glyph.text != " ");
                return at_word.unwrap_or(glyph.at);
            }
            if &*glyph.text == " " && glyph.at > 0 {
                last_blank = Some(glyph.at + 1);
            }
            room -= glyph.width;
        }
        text.len()
    }

    /// How many lines of a block are shown at its start and at its end.
    ///
    /// One line too many is shown: the remark that it is missing would take its place.
    pub(super) fn shown(&self, total: usize, keep: Keep) -> (usize, usize) {
        let max = self.options.max_body_lines;
        if self.options.expanded || total <= max.saturating_add(1) {
            return (total, 0);
        }
        match keep {
            Keep::Start => (max, 0),
            Keep::Ends => (max / 3, max - max / 3),
        }
    }

    /// Says how much is not shown, if anything.
    pub(super) fn more(&mut self, lead: Line, count: u64, noun: &str) {
        if count == 0 {
            return;
        }
        let plural = if count == 1 { "" } else { "s" };
        let text = format!("{} {count} more {noun}{plural}", self.signs.ellipsis);
        self.push(lead.sign(Style::Muted, &text));
    }

    pub(super) fn render(self) -> String {
        let mut out = String::new();
        for line in self.lines {
            line.render(self.options.colour, &mut out);
        }
        out
    }
}
