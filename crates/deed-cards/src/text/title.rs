use deed_protocol::{Tone, ToolCard};

use super::line::Line;
use super::page::{Flow, Page, Styled};
use super::style::Style;
use crate::visible::{Glyphs, width};

/// Columns of the subject that badges do not take.
const MIN_SUBJECT_COLUMNS: usize = 16;

/// Draws the bullet, the title, the subject and the badges.
pub(super) fn draw(card: &ToolCard, page: &mut Page<'_>) {
    let unicode = page.options.unicode;
    let [title, subject, badges] = [
        width(&card.title, unicode),
        width(&card.subject, unicode),
        badges_width(card, page),
    ];
    let gap = |columns: usize, gap: usize| if columns > 0 { columns + gap } else { 0 };
    let all = 2 + title + gap(subject, 2) + gap(badges, 3);
    let bullet = page
        .blank()
        .sign(Style::Toned(status(card)), page.signs.bullet)
        .blanks(1);
    if page.options.expanded && all > page.options.width {
        return draw_whole(card, bullet, page);
    }
    let limit = page.options.width;
    let named = within(bullet, limit / 2, |line| {
        page.cut(line, strong(&card.title))
    });
    let room = named.room().saturating_sub(gap(badges, 3));
    let room = room
        .max(gap(subject, 2).min(MIN_SUBJECT_COLUMNS))
        .min(named.room());
    let line = if subject > 0 && room > 2 {
        let subject = fitted(&card.subject, room - 2, page);
        let end = named.width() + room;
        within(named.blanks(2), end, |line| page.cut(line, plain(&subject)))
    } else {
        named
    };
    page.push(if badges > 0 {
        add_badges(card, line.blanks(3), page)
    } else {
        line
    });
}

/// Draws a title that does not fit on as many lines as it takes.
fn draw_whole(card: &ToolCard, bullet: Line, page: &mut Page<'_>) {
    let unicode = page.options.unicode;
    let short = width(&card.title, unicode) <= page.options.width / 3;
    let lead = if short {
        page.cut(bullet, strong(&card.title)).blanks(2)
    } else {
        page.put(bullet, strong(&card.title), Flow::Wrap);
        page.body()
    };
    if !card.subject.is_empty() {
        page.put(lead, plain(&card.subject), Flow::Wrap);
    } else if short {
        page.push(lead);
    }
    for badge in &card.badges {
        let style = Style::Toned(badge.tone);
        page.put(page.body(), Styled::new(&badge.text, style), Flow::Words);
    }
}

fn strong(text: &str) -> Styled<'_> {
    Styled::new(text, Style::Strong)
}

fn plain(text: &str) -> Styled<'_> {
    Styled::new(text, Style::Plain)
}

/// Fills a line as if it ended at a column.
fn within(line: Line, end: usize, fill: impl FnOnce(Line) -> Line) -> Line {
    let room = end.min(line.limit()).saturating_sub(line.width());
    let part = fill(Line::new(room));
    line.join(&part)
}

/// A path loses its start rather than its end, which says more.
fn fitted<'a>(subject: &'a str, room: usize, page: &Page<'_>) -> std::borrow::Cow<'a, str> {
    let unicode = page.options.unicode;
    let is_path = subject.contains('/') && !subject.contains(char::is_whitespace);
    if !is_path || width(subject, unicode) <= room {
        return subject.into();
    }
    let glyphs: Vec<_> = Glyphs::new(subject, 0, unicode).collect();
    let mut left = room.saturating_sub(page.ellipsis_width());
    let mut start = subject.len();
    for glyph in glyphs.iter().rev() {
        let Some(after) = left.checked_sub(glyph.width) else {
            break;
        };
        left = after;
        start = glyph.at;
    }
    let tail = subject.get(start..).unwrap_or_default();
    format!("{}{tail}", page.signs.ellipsis).into()
}

fn badges_width(card: &ToolCard, page: &Page<'_>) -> usize {
    let texts = card
        .badges
        .iter()
        .map(|badge| width(&badge.text, page.options.unicode));
    texts
        .map(|width| width + 3)
        .sum::<usize>()
        .saturating_sub(3)
}

fn add_badges(card: &ToolCard, mut line: Line, page: &Page<'_>) -> Line {
    for (at, badge) in card.badges.iter().enumerate() {
        if at > 0 {
            line = line.sign(Style::Muted, page.signs.between);
        }
        let quiet = badge.tone == Tone::Plain;
        let style = if quiet {
            Style::Muted
        } else {
            Style::Toned(badge.tone)
        };
        line = page.cut(line, Styled::new(&badge.text, style));
    }
    line
}

/// The tone of the whole card: that of its gravest badge.
pub(crate) fn status(card: &ToolCard) -> Tone {
    let has = |tone| card.badges.iter().any(|badge| badge.tone == tone);
    [Tone::Bad, Tone::Warning, Tone::Good]
        .into_iter()
        .find(|&tone| has(tone))
        .unwrap_or_default()
}
