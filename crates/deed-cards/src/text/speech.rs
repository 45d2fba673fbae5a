use super::CardText;
use super::page::{Flow, Page, Styled};
use super::style::Style;

/// Columns that speech is indented by.
const INDENT: usize = 2;

/// Draws what somebody said as text.
///
/// Shape: lines that end in LF: who speaks, then the text, broken at words; an empty line at the
/// end. The text is taken as untrusted, as that of a card is.
pub fn draw_speech(who: &str, text: &str, options: &CardText) -> String {
    let mut page = Page::new(options);
    let lead = page
        .blank()
        .sign(Style::Muted, page.signs.speaker)
        .blanks(1);
    page.put(lead, Styled::new(who, Style::Strong), Flow::Cut);
    for line in text.trim_end().lines() {
        let columns = options.width.saturating_sub(INDENT);
        for wrapped in page.wrap_in(columns, Styled::new(line, Style::Plain)) {
            page.push(page.blank().blanks(INDENT).join(&wrapped));
        }
    }
    let mut drawn = page.render();
    drawn.push('\n');
    drawn
}

/// Draws untrusted text as one line without a line end, cut to the width.
pub fn one_line(text: &str, options: &CardText) -> String {
    let page = Page::new(options);
    let mut drawn = String::new();
    page.cut(page.blank(), Styled::new(text, Style::Muted))
        .render(options.colour, &mut drawn);
    drawn.truncate(drawn.trim_end_matches('\n').len());
    drawn
}
