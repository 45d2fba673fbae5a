use deed_protocol::Cell;

use super::line::Line;
use super::page::{Keep, Page, Styled};
use super::style::Style;
use crate::visible::width;

/// Columns between columns.
const GAP: usize = 2;
/// Width that no column is shrunk below; what then does not fit is left out at the right.
const MIN_COLUMN: usize = 4;

/// Draws a table shrunk to the width: text columns first, numbers only if nothing else helps.
pub(super) fn draw(columns: &[String], rows: &[Vec<Cell>], omitted: u64, page: &mut Page<'_>) {
    let (start, _) = page.shown(rows.len(), Keep::Start);
    let shown = rows.get(..start).unwrap_or_default();
    let layout = Layout::new(columns, shown, page);
    if !columns.is_empty() {
        draw_head(columns, &layout, page);
    }
    for row in shown {
        let cells = row.iter().map(|cell| (cell.text.as_str(), cell.is_number));
        draw_row(cells, Style::Plain, &layout, page);
    }
    page.more(
        page.body(),
        omitted.saturating_add((rows.len() - start) as u64),
        "row",
    );
    page.more(page.body(), layout.left_out as u64, "column");
}

struct Layout {
    widths: Vec<usize>,
    numeric: Vec<bool>,
    left_out: usize,
}

impl Layout {
    fn new(columns: &[String], rows: &[Vec<Cell>], page: &Page<'_>) -> Self {
        let count = rows
            .iter()
            .map(Vec::len)
            .max()
            .unwrap_or(0)
            .max(columns.len());
        let unicode = page.options.unicode;
        let mut widths = vec![0; count];
        let mut numeric = vec![true; count];
        for (slot, name) in widths.iter_mut().zip(columns) {
            *slot = width(name, unicode);
        }
        for row in rows {
            for ((slot, numeric), cell) in widths.iter_mut().zip(&mut numeric).zip(row) {
                *slot = width(&cell.text, unicode).max(*slot);
                *numeric &= cell.is_number || cell.text.is_empty();
            }
        }
        if rows.is_empty() {
            numeric.fill(false);
        }
        let room = page.body().room();
        let left_out = shrink(&mut widths, &numeric, room);
        Self {
            widths,
            numeric,
            left_out,
        }
    }
}

/// Makes the columns fit and gives how many were dropped for it.
fn shrink(widths: &mut Vec<usize>, numeric: &[bool], room: usize) -> usize {
    let least = |widths: &[usize]| -> usize {
        widths
            .iter()
            .map(|&width| width.min(MIN_COLUMN) + GAP)
            .sum::<usize>()
    };
    let all = widths.len();
    while widths.len() > 1 && least(widths) > room + GAP {
        widths.pop();
    }
    let left_out = all - widths.len();
    let room = room.saturating_sub(GAP * widths.len().saturating_sub(1));
    let fixed: usize = kept(widths, numeric, true);
    let floor: usize = kept(widths, numeric, false);
    if fixed + floor <= room {
        cap(
            widths,
            |column| !numeric.get(column).copied().unwrap_or(false),
            room,
        );
    } else {
        cap(widths, |_| true, room);
    }
    left_out
}

/// The columns that numeric columns need, or the least that the others do.
fn kept(widths: &[usize], numeric: &[bool], wanted: bool) -> usize {
    let of_kind = widths
        .iter()
        .zip(numeric)
        .filter(|(_, numeric)| **numeric == wanted);
    of_kind
        .map(|(&width, _)| if wanted { width } else { width.min(MIN_COLUMN) })
        .sum()
}

/// Lowers the widest of the columns that may shrink until all fit.
fn cap(widths: &mut [usize], may_shrink: impl Fn(usize) -> bool, room: usize) {
    let total: usize = widths.iter().sum();
    let mut excess = total.saturating_sub(room);
    while excess > 0 {
        let shrinking = || widths.iter().enumerate().filter(|(at, _)| may_shrink(*at));
        let Some(widest) = shrinking()
            .map(|(_, &width)| width)
            .max()
            .filter(|&most| most > 0)
        else {
            return;
        };
        let next = shrinking()
            .map(|(_, &width)| width)
            .filter(|&width| width < widest)
            .max();
        let count = shrinking().filter(|&(_, &width)| width == widest).count();
        let step = (widest - next.unwrap_or(0)).min(excess.div_ceil(count));
        for (at, width) in widths.iter_mut().enumerate() {
            if may_shrink(at) && *width == widest && excess > 0 {
                let less = step.min(excess);
                *width -= less;
                excess -= less;
            }
        }
    }
}

fn draw_head(columns: &[String], layout: &Layout, page: &mut Page<'_>) {
    let names = columns.iter().zip(&layout.numeric);
    let cells = names.map(|(name, &numeric)| (name.as_str(), numeric));
    draw_row(cells, Style::Strong, layout, page);
    let mut line = page.body();
    for (at, &width) in layout.widths.iter().enumerate() {
        let rule = page.signs.line.repeat(width.min(line.room()));
        line = line
            .blanks(if at > 0 { GAP } else { 0 })
            .sign(Style::Muted, &rule);
    }
    page.push(line);
}

/// Draws one row, which takes several lines where cells go on instead of being cut.
fn draw_row<'a>(
    cells: impl Iterator<Item = (&'a str, bool)>,
    style: Style,
    layout: &Layout,
    page: &mut Page<'_>,
) {
    let mut columns: Vec<(usize, bool, Vec<Line>)> = Vec::new();
    for ((text, is_number), &width) in cells.zip(&layout.widths) {
        let text = Styled::new(text, style);
        let lines = if page.options.expanded {
            page.wrap_in(width, text)
        } else {
            vec![page.cut(Line::new(width), text)]
        };
        columns.push((width, is_number, lines));
    }
    let height = columns
        .iter()
        .map(|(_, _, lines)| lines.len())
        .max()
        .unwrap_or(1);
    for at in 0..height {
        let mut line = page.body();
        for (column, (width, is_number, lines)) in columns.iter().enumerate() {
            line = line.blanks(if column > 0 { GAP } else { 0 });
            let part = lines.get(at).cloned().unwrap_or_else(|| Line::new(*width));
            let pad = width - part.width();
            let (before, after) = if *is_number { (pad, 0) } else { (0, pad) };
            line = line.blanks(before).join(&part).blanks(after);
        }
        page.push(line);
    }
}
