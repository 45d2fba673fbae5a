use std::fmt::Write as _;

use deed_protocol::{DiffLine, DiffLineKind};
use deed_tooling::truncate_line;

use super::{FileDiff, Hunk, MAX_DIFF_BYTES, Row};

const MAX_LINE_CHARS: usize = 2000;
const CUT_NOTE: &str = "[the rest of the diff is left out]";

impl FileDiff {
    /// Writes the diff for people, within [`MAX_DIFF_BYTES`].
    ///
    /// Shape: a line each: `+`, `-` or a space, the number to the right of a column as wide as the
    /// largest, a space, the text; `...` where lines are left out.
    pub(crate) fn display(&self) -> String {
        let width = self.max_lines.max(1).ilog10() as usize + 1;
        let mut out = Bounded::default();
        for line in self.lines() {
            let sign = match line.kind {
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
                DiffLineKind::Context | DiffLineKind::Gap => ' ',
            };
            let row = match line.line_1based {
                Some(number) => format!("{sign}{number:>width$} {}", line.text),
                None => format!("{sign}{:>width$} ...", ""),
            };
            out.push(&row);
        }
        out.finish(self.is_cut)
    }

    /// Returns the lines to draw, gaps marked.
    pub(crate) fn lines(&self) -> Vec<DiffLine> {
        let gap = || DiffLine {
            kind: DiffLineKind::Gap,
            line_1based: None,
            text: String::new(),
        };
        let mut lines = Vec::new();
        let mut next_old = 1;
        for hunk in &self.hunks {
            if hunk.old_first_1based > next_old {
                lines.push(gap());
            }
            next_old = push_lines(hunk, &mut lines);
        }
        if next_old <= self.old_lines && !lines.is_empty() {
            lines.push(gap());
        }
        lines
    }

    /// Writes the diff for programs, within [`MAX_DIFF_BYTES`].
    ///
    /// Source: the unified format of POSIX `diff -u`; without times, ends of lines as LF.
    pub(crate) fn patch(&self, path: &str) -> String {
        let mut out = Bounded::default();
        out.push(&format!("--- {path}\n+++ {path}"));
        for hunk in &self.hunks {
            let of = |other: DiffLineKind| {
                hunk.rows.iter().filter(|row| row.kind != other).count() as u64
            };
            let (old, new) = (of(DiffLineKind::Added), of(DiffLineKind::Removed));
            out.push(&format!(
                "@@ -{},{old} +{},{new} @@",
                first(hunk.old_first_1based, old),
                first(hunk.new_first_1based, new),
            ));
            for row in &hunk.rows {
                out.push(&patch_row(row));
            }
        }
        let mut patch = out.finish(self.is_cut);
        patch.push('\n');
        patch
    }
}

/// Returns the line that a hunk begins at; of an empty side, the one before it.
fn first(line_1based: u64, count: u64) -> u64 {
    if count == 0 {
        line_1based.saturating_sub(1)
    } else {
        line_1based
    }
}

fn patch_row(row: &Row) -> String {
    let sign = match row.kind {
        DiffLineKind::Added => '+',
        DiffLineKind::Removed => '-',
        DiffLineKind::Context | DiffLineKind::Gap => ' ',
    };
    let end = if row.has_end {
        ""
    } else {
        "\n\\ No newline at end of file"
    };
    format!("{sign}{}{end}", row.text)
}

fn push_lines(hunk: &Hunk, lines: &mut Vec<DiffLine>) -> u64 {
    let (mut old, mut new) = (hunk.old_first_1based, hunk.new_first_1based);
    for row in &hunk.rows {
        let line_1based = Some(if row.kind == DiffLineKind::Added {
            new
        } else {
            old
        });
        let text = truncate_line(&row.text, MAX_LINE_CHARS).into();
        lines.push(DiffLine {
            kind: row.kind,
            line_1based,
            text,
        });
        old += u64::from(row.kind != DiffLineKind::Added);
        new += u64::from(row.kind != DiffLineKind::Removed);
    }
    old
}

/// Lines up to [`MAX_DIFF_BYTES`].
#[derive(Default)]
struct Bounded {
    text: String,
    is_full: bool,
}

impl Bounded {
    fn push(&mut self, line: &str) {
        if self.is_full || self.text.len() + line.len() + CUT_NOTE.len() + 2 > MAX_DIFF_BYTES {
            self.is_full = true;
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    fn finish(mut self, is_cut: bool) -> String {
        if self.is_full || is_cut {
            let written = write!(self.text, "\n{CUT_NOTE}");
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        }
        self.text
    }
}

/// Reads back what [`FileDiff::display`] wrote; lines of another form are left out.
pub(crate) fn parse_display(display: &str) -> Vec<DiffLine> {
    display.split('\n').filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<DiffLine> {
    let kind = match line.chars().next()? {
        '+' => DiffLineKind::Added,
        '-' => DiffLineKind::Removed,
        ' ' => DiffLineKind::Context,
        _ => return None,
    };
    let rest = line.get(1..)?.trim_start_matches(' ');
    if kind == DiffLineKind::Context && rest == "..." {
        return Some(DiffLine {
            kind: DiffLineKind::Gap,
            line_1based: None,
            text: String::new(),
        });
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, text) = rest.split_at_checked(digits)?;
    let text = text.strip_prefix(' ')?.to_owned();
    Some(DiffLine {
        kind,
        line_1based: Some(number.parse().ok()?),
        text,
    })
}
