//! Output for people: the transcript of a run as it happens.

mod live;
mod look;
mod transcript;

pub(crate) use look::Look;
pub(crate) use transcript::Transcript;

/// Puts a text of somebody else's into one line, without what would move or hide the rest of it.
pub(crate) fn one_line(text: &str) -> String {
    let moves_or_hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let shown = |c| if moves_or_hides(c) { ' ' } else { c };
    text.chars().map(shown).collect()
}
