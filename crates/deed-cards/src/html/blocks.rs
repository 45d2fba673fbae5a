use std::ops::Range;

use deed_protocol::{
    Block, Cell, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, ToolCard,
};

use super::write::{Element, Html};
use crate::emphasis::changed_words;
use crate::highlight::{Class, Language, LexState};
use crate::picture::{embedded_type, label, pixels};
use crate::visible::lines;

pub(crate) fn draw(block: &Block, card: &ToolCard, html: &mut Html) {
    match block {
        Block::Text { text } => draw_text(text, html),
        Block::Code {
            text,
            language,
            first_line_1based,
        } => {
            draw_code(text, language, *first_line_1based, html);
        }
        Block::Diff { path, lines } => {
            html.open("figure", "card-diff");
            if !path.is_empty() && !card.subject.contains(path.as_str()) {
                html.leaf("figcaption", "card-caption", path);
            }
            draw_diff(lines, html);
            html.close("figure");
        }
        Block::Table {
            columns,
            rows,
            omitted_rows,
        } => {
            draw_table(columns, rows, *omitted_rows, html);
        }
        Block::Image {
            data,
            mime_type,
            alt,
        } => draw_image(data, mime_type, alt, html),
        Block::KeyValues { pairs } => draw_pairs(pairs, html),
        Block::Progress(progress) => draw_progress(progress, html),
        Block::Notice { level, text } => draw_notice(*level, text, html),
    }
}

fn draw_text(text: &str, html: &mut Html) {
    html.open("pre", "card-text");
    // A browser drops a line end right after the tag.
    if text.starts_with(['\n', '\r']) {
        html.raw("\n");
    }
    draw_lines(text, html);
    html.close("pre");
}

/// Writes lines with a line end between them.
pub(crate) fn draw_lines(text: &str, html: &mut Html) {
    for (at, line) in lines(text).enumerate() {
        if at > 0 {
            html.raw("\n");
        }
        html.text(line);
    }
}

pub(crate) fn draw_code(text: &str, language: &str, first: Option<u64>, html: &mut Html) {
    let language = Language::named(language);
    html.open("pre", "card-code");
    let name = language.map_or("plain", Language::name);
    html.open_with("code", "card-lines", &[("data-language", name)]);
    let mut state = LexState::default();
    for (at, line) in lines(text).enumerate() {
        let spans: Vec<_> = language
            .map(|language| language.highlight(line, &mut state))
            .unwrap_or_default()
            .into_iter()
            .map(|span| (span.range, token(span.class)))
            .collect();
        html.open("span", "card-line");
        draw_number(first.map(|first| first.saturating_add(at as u64)), html);
        html.marked(line, &spans);
        html.raw("\n");
        html.close("span");
    }
    html.close("code");
    html.close("pre");
}

fn token(class: Class) -> Element {
    let class = match class {
        Class::Keyword => "card-keyword",
        Class::Type => "card-type",
        Class::String => "card-string",
        Class::Number => "card-number",
        Class::Comment => "card-comment",
        Class::Function => "card-function",
        Class::Name => "card-name",
        Class::Heading => "card-heading",
        Class::Added => "card-added",
        Class::Removed => "card-removed",
        Class::Punctuation => "card-punctuation",
    };
    ("span", class)
}

fn draw_number(number: Option<u64>, html: &mut Html) {
    if let Some(number) = number {
        html.leaf("span", "card-line-number", &number.to_string());
        html.raw(" ");
    }
}

fn draw_diff(lines: &[DiffLine], html: &mut Html) {
    html.open("pre", "card-code");
    for (line, changed) in lines.iter().zip(changed_words(lines)) {
        draw_diff_line(line, changed, html);
    }
    html.close("pre");
}

fn draw_diff_line(line: &DiffLine, changed: Vec<Range<usize>>, html: &mut Html) {
    let (element, class, sign) = match line.kind {
        DiffLineKind::Context => ("span", "card-line", "  "),
        DiffLineKind::Added => ("ins", "card-line card-added", "+ "),
        DiffLineKind::Removed => ("del", "card-line card-removed", "\u{2212} "),
        DiffLineKind::Gap => ("span", "card-line card-muted", "  "),
    };
    html.open(element, class);
    if line.kind == DiffLineKind::Gap {
        html.leaf("span", "card-line-number", "\u{22ee}");
        html.raw(" ");
    } else {
        draw_number(line.line_1based, html);
    }
    html.leaf("span", "card-sign", sign);
    let marks: Vec<_> = changed
        .into_iter()
        .map(|range| (range, ("mark", "card-word")))
        .collect();
    html.marked(&line.text, &marks);
    html.raw("\n");
    html.close(element);
}

fn draw_table(columns: &[String], rows: &[Vec<Cell>], omitted: u64, html: &mut Html) {
    html.open("table", "card-table");
    if !columns.is_empty() {
        html.raw("<thead><tr>");
        for (at, column) in columns.iter().enumerate() {
            let mut cells = rows.iter().filter_map(|row| row.get(at)).peekable();
            let numeric = cells.peek().is_some() && cells.all(|cell| cell.is_number);
            html.open_with(
                "th",
                if numeric { "card-right" } else { "" },
                &[("scope", "col")],
            );
            html.text(column);
            html.close("th");
        }
        html.raw("</tr></thead>");
    }
    html.raw("<tbody>");
    for row in rows {
        html.open("tr", "");
        for cell in row {
            html.leaf(
                "td",
                if cell.is_number { "card-right" } else { "" },
                &cell.text,
            );
        }
        html.close("tr");
    }
    html.raw("</tbody>");
    html.close("table");
    if omitted > 0 {
        let plural = if omitted == 1 { "" } else { "s" };
        html.leaf(
            "p",
            "card-more",
            &format!("\u{2026} {omitted} more row{plural}"),
        );
    }
}

pub(crate) fn draw_image(data: &str, mime_type: &str, alt: &str, html: &mut Html) {
    let Some(mime_type) = embedded_type(data, mime_type) else {
        let text = format!("[{}]", label(data, mime_type, alt));
        return html.leaf("p", "card-muted card-block", &text);
    };
    html.open("figure", "card-image");
    let source = format!("data:{mime_type};base64,{data}");
    let mut attributes = vec![("src", source.as_str()), ("alt", alt)];
    let size = pixels(data).map(|(width, height)| (width.to_string(), height.to_string()));
    if let Some((width, height)) = &size {
        attributes.extend([("width", width.as_str()), ("height", height.as_str())]);
    }
    html.open_with("img", "card-picture", &attributes);
    if !alt.is_empty() {
        html.leaf("figcaption", "card-caption", alt);
    }
    html.close("figure");
}

fn draw_pairs(pairs: &[KeyValue], html: &mut Html) {
    html.open("dl", "card-pairs");
    for pair in pairs {
        html.leaf("dt", "", &pair.key);
        html.open("dd", "");
        draw_lines(&pair.value, html);
        html.close("dd");
    }
    html.close("dl");
}

fn draw_progress(progress: &Progress, html: &mut Html) {
    let done = progress.done.to_string();
    html.open("p", "card-progress");
    html.open("label", "");
    html.text(&progress.label);
    html.raw(" ");
    match progress.total.map(|total| total.to_string()) {
        Some(total) => {
            html.open_with("progress", "card-bar", &[("value", &done), ("max", &total)]);
            html.close("progress");
            html.raw(" ");
            html.leaf("span", "card-muted", &format!("{done}/{total}"));
        }
        None => html.leaf("span", "card-muted", &done),
    }
    html.close("label");
    html.close("p");
}

pub(crate) fn draw_notice(level: NoticeLevel, text: &str, html: &mut Html) {
    let (class, word) = match level {
        NoticeLevel::Info => ("card-notice card-muted", "note:"),
        NoticeLevel::Warning => ("card-notice card-warning", "warning:"),
        NoticeLevel::Error => ("card-notice card-bad", "error:"),
    };
    html.open_with("p", class, &[("role", "note")]);
    html.leaf("strong", "", word);
    html.raw(" ");
    draw_lines(text, html);
    html.close("p");
}
