use deed_protocol::{Block, Cell};
use deed_tooling::ResultView;

const BRIEF_ROWS: usize = 10;

/// Reads the text of a result: a table, if there are columns, and the line about it.
pub(super) fn of(text: &str, view: ResultView) -> (Option<Block>, String) {
    let bracket = |line: &str| {
        line.trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned()
    };
    // A long text has the line about it in front as well.
    let body = match text.split_once("]\n\n[") {
        Some((first, _)) if !first.contains('\n') => {
            text.get(first.len() + 3..).unwrap_or_default()
        }
        _ => text,
    };
    let Some((table, summary)) = body.rsplit_once("\n\n[") else {
        return (None, text.to_owned());
    };
    let mut lines = table.lines().map(cells);
    let columns = lines.next().unwrap_or_default();
    let mut rows: Vec<Vec<Cell>> = lines.collect();
    let kept = if view.expanded {
        rows.len()
    } else {
        rows.len().min(BRIEF_ROWS)
    };
    let omitted_rows = (rows.len() - kept) as u64;
    rows.truncate(kept);
    let block = Block::Table {
        columns: columns.into_iter().map(|cell| cell.text).collect(),
        rows,
        omitted_rows,
    };
    (Some(block), bracket(summary))
}

/// Takes the line of a row apart, as [`crate::rows::Rows`] wrote it.
fn cells(line: &str) -> Vec<Cell> {
    let inside = line.strip_prefix('[').unwrap_or(line);
    let inside = inside.strip_suffix(']').unwrap_or(inside);
    let mut cells = Vec::new();
    let mut start = 0;
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => is_quoted = !is_quoted,
            b',' if !is_quoted => {
                cells.push(cell(inside.get(start..at).unwrap_or_default()));
                start = at + 1;
            }
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    if !inside.is_empty() {
        cells.push(cell(inside.get(start..).unwrap_or_default()));
    }
    cells
}

fn cell(text: &str) -> Cell {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let shown = match text.rsplit_once('"') {
        Some((quoted, mark)) => {
            let text =
                serde_json::from_str(&format!("{quoted}\"")).unwrap_or_else(|_| quoted.to_owned());
            if mark.is_empty() {
                text
            } else {
                format!("{text}… {mark}")
            }
        }
        None if text == "null" => "NULL".to_owned(),
        None => text.to_owned(),
    };
    Cell {
        text: shown,
        is_number,
    }
}
