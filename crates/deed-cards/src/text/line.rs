use unicode_width::UnicodeWidthStr;

use super::style::Style;

/// One line being filled, never beyond its limit.
#[derive(Clone, Debug)]
pub(super) struct Line {
    runs: Vec<(Style, String)>,
    width: usize,
    limit: usize,
}

/// A place in a line to which it can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    runs: usize,
    bytes: usize,
    width: usize,
}

impl Line {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            runs: Vec::new(),
            width: 0,
            limit,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn room(&self) -> usize {
        self.limit - self.width
    }

    /// Adds text of a known width if there is room for it.
    pub(super) fn push(&mut self, style: Style, text: &str, width: usize) -> bool {
        if width > self.room() {
            return false;
        }
        self.width += width;
        match self.runs.last_mut() {
            Some((last, run)) if *last == style => run.push_str(text),
            _ => self.runs.push((style, text.to_owned())),
        }
        true
    }

    /// Adds text of our own, as many characters as there is room for.
    pub(super) fn sign(mut self, style: Style, text: &str) -> Self {
        let width = text.width();
        if !self.push(style, text, width) {
            for character in text.chars() {
                let mut buffer = [0; 4];
                let text: &str = character.encode_utf8(&mut buffer);
                if !self.push(style, text, text.width()) {
                    break;
                }
            }
        }
        self
    }

    pub(super) fn blanks(mut self, count: usize) -> Self {
        let count = count.min(self.room());
        self.push(Style::Plain, &" ".repeat(count), count);
        self
    }

    /// Adds another line, which must have been made for the room that is left.
    pub(super) fn join(mut self, other: &Self) -> Self {
        if other.width <= self.room() {
            self.width += other.width;
            self.runs.extend(other.runs.iter().cloned());
        }
        self
    }

    pub(super) fn mark(&self) -> Mark {
        let bytes = self.runs.last().map_or(0, |(_, run)| run.len());
        Mark {
            runs: self.runs.len(),
            bytes,
            width: self.width,
        }
    }

    pub(super) fn rewind(&mut self, mark: Mark) {
        self.runs.truncate(mark.runs);
        if let Some((_, run)) = self.runs.last_mut() {
            run.truncate(mark.bytes);
        }
        self.width = mark.width;
    }

    /// Writes the line without blanks at its end.
    pub(super) fn render(mut self, colour: bool, out: &mut String) {
        while let Some((_, run)) = self.runs.last_mut() {
            run.truncate(run.trim_end_matches(' ').len());
            if !run.is_empty() {
                break;
            }
            self.runs.pop();
        }
        for (style, run) in &self.runs {
            let code = if colour { style.code() } else { "" };
            if code.is_empty() {
                out.push_str(run);
            } else {
                out.extend(["\x1b[", code, "m", run, "\x1b[0m"]);
            }
        }
        out.push('\n');
    }
}
