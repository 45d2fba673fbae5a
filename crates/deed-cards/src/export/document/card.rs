//! Cards in Markdown.

use deed_protocol::{Block, Cell, DiffLine, DiffLineKind, KeyValue, Progress, ToolCard};

use super::inline::{code_span, escaped, escaped_start, fence};
use super::notice;
use super::sheet::Sheet;
use crate::highlight::Language;
use crate::picture;

/// Draws a card as its title line and its blocks.
pub(super) fn draw(card: &ToolCard, sheet: &mut Sheet) {
    let mut title = format!("**{}**", escaped(card.title.trim()));
    if !card.subject.is_empty() {
        title.extend([" ", &code_span(&card.subject)]);
    }
    for badge in &card.badges {
        title.extend([" · ", &escaped(&badge.text)]);
    }
    sheet.block(&title);
    for block in &card.blocks {
        draw_block(block, card, sheet);
    }
}

fn draw_block(block: &Block, card: &ToolCard, sheet: &mut Sheet) {
    match block {
        Block::Text { text } if text.is_empty() => {}
        Block::Text { text } => sheet.block(&fence("", text)),
        Block::Code { text, language, .. } => {
            let language = Language::named(language).map_or("", Language::name);
            sheet.block(&fence(language, text));
        }
        Block::Diff { path, lines } => {
            if !path.is_empty() && !card.subject.contains(path.as_str()) {
                sheet.block(&code_span(path));
            }
            sheet.block(&fence("diff", &diff(lines)));
        }
        Block::Table {
            columns,
            rows,
            omitted_rows,
        } => {
            sheet.block(&table(columns, rows));
            if *omitted_rows > 0 {
                let plural = if *omitted_rows == 1 { "" } else { "s" };
                sheet.block(&format!("… {omitted_rows} more row{plural}"));
            }
        }
        Block::Image {
            data,
            mime_type,
            alt,
        } => {
            let label = picture::label(data, mime_type, alt);
            sheet.block(&escaped(&format!("[{label}]")));
        }
        Block::KeyValues { pairs } => pairs.iter().for_each(|pair| draw_pair(pair, sheet)),
        Block::Progress(progress) => sheet.block(&progress_line(progress)),
        Block::Notice { level, text } => sheet.block(&notice(*level, text)),
    }
}

fn diff(lines: &[DiffLine]) -> String {
    let mut diff = String::new();
    for line in lines {
        let sign = match line.kind {
            DiffLineKind::Context => " ",
            DiffLineKind::Added => "+",
            DiffLineKind::Removed => "-",
            DiffLineKind::Gap => "⋮",
        };
        // A line end within a line would start another one that has no sign.
        let text = line.text.replace('\n', "\u{240a}");
        diff.extend([sign, &text, "\n"]);
    }
    diff
}

fn table(columns: &[String], rows: &[Vec<Cell>]) -> String {
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let count = widest.max(columns.len());
    if count == 0 {
        return String::new();
    }
    let text = |text: Option<&str>| text.map(escaped).unwrap_or_default();
    let names = (0..count).map(|at| text(columns.get(at).map(String::as_str)));
    let mut table = row(names);
    table.push('|');
    for at in 0..count {
        let mut cells = rows.iter().filter_map(|row| row.get(at)).peekable();
        let numeric = cells.peek().is_some() && cells.all(|cell| cell.is_number);
        table.push_str(if numeric { " ---: |" } else { " --- |" });
    }
    table.push('\n');
    for cells in rows {
        let cells = (0..count).map(|at| text(cells.get(at).map(|cell| cell.text.as_str())));
        table.push_str(&row(cells));
    }
    table
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let mut row = String::from("|");
    for cell in cells {
        row.extend([" ", &cell, " |"]);
    }
    row.push('\n');
    row
}

fn draw_pair(pair: &KeyValue, sheet: &mut Sheet) {
    let key = escaped_start(&pair.key);
    if pair.value.trim_end().contains('\n') {
        sheet.block(&format!("{key}:"));
        sheet.block(&fence("", &pair.value));
    } else {
        sheet.block(&format!("{key}: {}", code_span(pair.value.trim_end())));
    }
}

fn progress_line(progress: &Progress) -> String {
    let label = escaped_start(&progress.label);
    match progress.total {
        Some(total) => format!("{label}: {}/{total}", progress.done),
        None => format!("{label}: {}", progress.done),
    }
}
