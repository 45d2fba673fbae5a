use std::io::{IsTerminal, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deed_cards::CardText;
use terminal_size::{Width, terminal_size_of};

use crate::cli::ColourChoice;

/// The width of output that goes nowhere in particular.
const PLAIN_WIDTH: usize = 100;

/// What standard output can show.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// Whether colour is wanted and can be shown.
    pub(crate) colour: bool,
    /// Whether more than ASCII can be shown.
    pub(crate) unicode: bool,
    /// Whether somebody watches, so that a line may be drawn over.
    pub(crate) is_terminal: bool,
    /// Whether a question stands on the terminal; clones share it.
    has_question: Arc<AtomicBool>,
}

/// A question that stands on the terminal until this is dropped.
pub(crate) struct StandingQuestion(Arc<AtomicBool>);

impl Look {
    /// Finds out what standard output is.
    pub(crate) fn of_stdout(choice: ColourChoice) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_terminal = stdout().is_terminal() && !dumb;
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colour = match choice {
            ColourChoice::Auto => is_terminal && !no_colour,
            ColourChoice::Always => true,
            ColourChoice::Never => false,
        };
        Self {
            colour,
            unicode: has_unicode(),
            is_terminal,
            has_question: Arc::default(),
        }
    }

    /// Keeps others from drawing lines over a question.
    pub(crate) fn begin_question(&self) -> StandingQuestion {
        self.has_question.store(true, Ordering::Release);
        StandingQuestion(self.has_question.clone())
    }

    /// Tells whether a question stands on the terminal.
    pub(crate) fn has_question(&self) -> bool {
        self.has_question.load(Ordering::Acquire)
    }

    /// Returns how cards are drawn at this moment.
    pub(crate) fn card_text(&self) -> CardText {
        CardText {
            width: self.width(),
            colour: self.colour,
            unicode: self.unicode,
            ..CardText::default()
        }
    }

    /// Returns how wide output may be.
    ///
    /// Units: columns.
    pub(crate) fn width(&self) -> usize {
        let Some((Width(columns), _)) = terminal_size_of(stdout()) else {
            return PLAIN_WIDTH;
        };
        usize::from(columns).max(20)
    }
}

impl Drop for StandingQuestion {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Reads the locale as a terminal program does: the first of the three that says anything counts.
fn has_unicode() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty())
        .unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
