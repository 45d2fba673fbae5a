use std::ops::Range;

use deed_protocol::{
    Block, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, Tone, ToolCard,
};

use super::page::{Flow, Keep, Page, Styled};
use super::style::Style;
use super::table;
use crate::emphasis::changed_words;
use crate::highlight::{Class, Language, LexState};
use crate::picture::pixels;
use crate::visible::{lines, width};

/// Columns of a full bar.
const BAR_COLUMNS: usize = 24;

/// Draws a block and says whether there was anything to draw.
pub(super) fn draw(block: &Block, card: &ToolCard, page: &mut Page<'_>) -> bool {
    match block {
        Block::Text { text } => draw_text(text, page),
        Block::Code {
            text,
            language,
            first_line_1based,
        } => {
            draw_code(text, language, *first_line_1based, page);
        }
        Block::Diff { path, lines } => {
            if !path.is_empty() && !card.subject.contains(path.as_str()) {
                page.put(page.body(), Styled::new(path, Style::Strong), page.flow());
            }
            draw_diff(lines, page);
        }
        Block::Table {
            columns,
            rows,
            omitted_rows,
        } => {
            table::draw(columns, rows, *omitted_rows, page);
        }
        Block::Image {
            data,
            mime_type,
            alt,
        } => draw_image(data, mime_type, alt, page),
        Block::KeyValues { pairs } => draw_pairs(pairs, page),
        Block::Progress(progress) => draw_progress(progress, page),
        Block::Notice { level, text } => draw_notice(*level, text, page),
    }
    !is_empty(block)
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Text { text } | Block::Code { text, .. } => text.is_empty(),
        Block::Diff { lines, .. } => lines.is_empty(),
        Block::Table { columns, rows, .. } => columns.is_empty() && rows.is_empty(),
        Block::KeyValues { pairs } => pairs.is_empty(),
        Block::Image { .. } | Block::Progress(_) | Block::Notice { .. } => false,
    }
}

fn draw_text(text: &str, page: &mut Page<'_>) {
    let total = lines(text).count();
    let (start, end) = page.shown(total, Keep::Ends);
    let put = |line, page: &mut Page<'_>| {
        page.put(page.body(), Styled::new(line, Style::Plain), page.flow());
    };
    for line in lines(text).take(start) {
        put(line, page);
    }
    page.more(page.body(), (total - start - end) as u64, "line");
    let last: Vec<_> = lines(text).rev().take(end).collect();
    for line in last.into_iter().rev() {
        put(line, page);
    }
}

fn draw_code(text: &str, language: &str, first: Option<u64>, page: &mut Page<'_>) {
    let total = lines(text).count();
    let (start, _) = page.shown(total, Keep::Start);
    let last = first.map(|first| first.saturating_add((start as u64).saturating_sub(1)));
    let digits = last.map_or(0, |last| last.to_string().len());
    let language = Language::named(language);
    let mut state = LexState::default();
    for (at, line) in lines(text).take(start).enumerate() {
        let spans: Vec<_> = language
            .map(|language| language.highlight(line, &mut state))
            .unwrap_or_default()
            .into_iter()
            .map(|span| (span.range, Style::Token(span.class)))
            .collect();
        let number = first.map(|first| first.saturating_add(at as u64));
        let lead = numbered(number, digits, page);
        let lead = if first.is_some() {
            lead.blanks(2)
        } else {
            lead
        };
        page.put(
            lead,
            Styled {
                text: line,
                base: Style::Plain,
                spans: &spans,
            },
            page.flow(),
        );
    }
    let lead = if first.is_some() {
        page.body().blanks(digits + 2)
    } else {
        page.body()
    };
    page.more(lead, (total - start) as u64, "line");
}

/// A line of the body that starts with a number at the right of its column, or with blanks.
fn numbered(number: Option<u64>, digits: usize, page: &Page<'_>) -> super::line::Line {
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    page.body()
        .sign(Style::Muted, &format!("{number:>digits$}"))
}

fn draw_diff(lines: &[DiffLine], page: &mut Page<'_>) {
    let (start, _) = page.shown(lines.len(), Keep::Start);
    let shown = lines.get(..start).unwrap_or_default();
    let changed = changed_words(shown);
    let last = shown.iter().filter_map(|line| line.line_1based).max();
    let digits = last.map_or(0, |last| last.to_string().len());
    for (line, changed) in shown.iter().zip(&changed) {
        draw_diff_line(line, changed, digits, page);
    }
    page.more(page.body(), (lines.len() - start) as u64, "line");
}

fn draw_diff_line(line: &DiffLine, changed: &[Range<usize>], digits: usize, page: &mut Page<'_>) {
    let (sign, base, word) = match line.kind {
        DiffLineKind::Added => ("+", Style::Token(Class::Added), Style::AddedWord),
        DiffLineKind::Removed => (
            page.signs.minus,
            Style::Token(Class::Removed),
            Style::RemovedWord,
        ),
        DiffLineKind::Context => (" ", Style::Plain, Style::Plain),
        DiffLineKind::Gap => {
            let gap = format!("{:>width$}", page.signs.gap, width = digits.max(1));
            let lead = page.body().sign(Style::Muted, &gap);
            let lead = if line.text.is_empty() {
                lead
            } else {
                lead.blanks(3)
            };
            return page.put(lead, Styled::new(&line.text, Style::Muted), page.flow());
        }
    };
    let lead = numbered(line.line_1based, digits, page);
    let lead = if digits > 0 { lead.blanks(1) } else { lead };
    let lead = lead.sign(base, sign).blanks(1);
    let spans: Vec<_> = changed.iter().map(|range| (range.clone(), word)).collect();
    page.put(
        lead,
        Styled {
            text: &line.text,
            base,
            spans: &spans,
        },
        page.flow(),
    );
}

fn draw_image(data: &str, mime_type: &str, alt: &str, page: &mut Page<'_>) {
    let size = pixels(data).map(|(width, height)| format!(" {width}{}{height}", page.signs.times));
    let size = size.unwrap_or_default();
    let alt = if alt.is_empty() {
        String::new()
    } else {
        format!(", {alt}")
    };
    let text = format!("[image {mime_type}{size}{alt}]");
    page.put(page.body(), Styled::new(&text, Style::Muted), page.flow());
}

fn draw_pairs(pairs: &[KeyValue], page: &mut Page<'_>) {
    let (start, _) = page.shown(pairs.len(), Keep::Start);
    let shown = pairs.get(..start).unwrap_or_default();
    let unicode = page.options.unicode;
    let most = page.options.width / 3;
    let keys = shown
        .iter()
        .map(|pair| width(&pair.key, unicode))
        .max()
        .unwrap_or(0)
        .min(most);
    for pair in shown {
        let mut key = super::line::Line::new(keys);
        key = page.cut(key, Styled::new(&pair.key, Style::Token(Class::Name)));
        let pad = keys - key.width();
        let mut lead = page.body().join(&key).blanks(pad + 2);
        let total = lines(&pair.value).count();
        let (first, _) = page.shown(total, Keep::Start);
        for line in lines(&pair.value)
            .take(first)
            .chain((total == 0).then_some(""))
        {
            page.put(lead, Styled::new(line, Style::Plain), page.flow());
            lead = page.body().blanks(keys + 2);
        }
        page.more(lead, (total - first) as u64, "line");
    }
    page.more(page.body(), (pairs.len() - start) as u64, "pair");
}

fn draw_progress(progress: &Progress, page: &mut Page<'_>) {
    let Progress { label, done, total } = progress;
    let count = total.map_or_else(|| done.to_string(), |total| format!("{done}/{total}"));
    let mut line = page.body();
    let room = line.room().saturating_sub(count.len() + 2);
    let bar = if total.is_some() {
        BAR_COLUMNS.min(room / 3)
    } else {
        0
    };
    let room = room.saturating_sub(if bar > 0 { bar + 2 } else { 0 });
    let mut text = super::line::Line::new(room.min(line.room()));
    text = page.cut(text, Styled::new(label, Style::Plain));
    if text.width() > 0 {
        line = line.join(&text).blanks(2);
    }
    if let Some(total) = total.filter(|_| bar > 0) {
        let share = u128::from(*done).saturating_mul(bar as u128) / u128::from(total.max(1));
        let full = usize::try_from(share).unwrap_or(bar).min(bar);
        line = line.sign(Style::Toned(Tone::Good), &page.signs.done.repeat(full));
        line = line
            .sign(Style::Muted, &page.signs.to_do.repeat(bar - full))
            .blanks(2);
    }
    let line = page.cut(line, Styled::new(&count, Style::Muted));
    page.push(line);
}

fn draw_notice(level: NoticeLevel, text: &str, page: &mut Page<'_>) {
    let (word, tone) = match level {
        NoticeLevel::Info => ("note:", Tone::Muted),
        NoticeLevel::Warning => ("warning:", Tone::Warning),
        NoticeLevel::Error => ("error:", Tone::Bad),
    };
    let total = lines(text).count();
    let (start, _) = page.shown(total, Keep::Start);
    let mut lead = page.body().sign(Style::Toned(tone), word).blanks(1);
    let indent = lead.width() - page.body().width();
    for line in lines(text).take(start).chain(text.is_empty().then_some("")) {
        page.put(lead, Styled::new(line, Style::Plain), Flow::Words);
        lead = page.body().blanks(indent);
    }
    page.more(lead, (total - start) as u64, "line");
}
