//! A rule's text for commands, and the two ways to match it.

mod lexer;

use super::tokens::{self, Piece, base_name, matches};
use super::{Segment, ShellReading};

pub use lexer::PatternError;

/// The command part of a rule: words, of which the last may be `*`.
///
/// Shape: words between blanks; `'…'` and `"…"` hold text to the letter. An unquoted `*` stands for
/// any characters of one word; a last word that is `*` alone, for any further words, also none.
///
/// ```
/// use deed_guard::shell::{CommandPattern, Denial, read_command};
///
/// let rule = CommandPattern::parse("cargo test *")?;
/// let plain = read_command("cargo test -q");
/// assert!(plain.opaque.is_none() && rule.allows(&plain.segments[0]));
/// let compound = read_command("cargo test; rm -rf x");
/// assert!(!rule.allows(&compound.segments[1]));
///
/// let rule = CommandPattern::parse("sudo *")?;
/// assert_eq!(rule.denies(&read_command("env X=1 sudo id")), Denial::Plain(0));
/// # Ok::<(), deed_guard::shell::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    text: String,
    words: Vec<Vec<Piece>>,
    /// Whether the words may be followed by any others.
    is_open: bool,
}

/// Whether a deny rule hits a command text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// It does not.
    No,
    /// It hits the segment of this index; of an unclear text, a segment that is clear.
    Plain(usize),
    /// The rule's first word stands in text that could not be read with certainty.
    Possible,
}

impl CommandPattern {
    /// Reads the text of a rule.
    ///
    /// Errors: what could never match, each with its remedy, so that no rule is dead unnoticed.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut words = lexer::words_of(text)?;
        let is_open = words.last().is_some_and(|word| word == &[Piece::Many]);
        if is_open {
            words.pop();
        }
        Ok(Self {
            text: text.to_owned(),
            words,
            is_open,
        })
    }

    /// Returns the text as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether this rule covers all of a segment; of an unclear text no segment counts as covered.
    ///
    /// It never covers a redirection that touches a file. Of a wrapper it must spell out the words
    /// up to the name of the command that is started, of an interpreter and of a hazard all words.
    pub fn allows(&self, segment: &Segment) -> bool {
        segment.complete
            && segment.redirects.iter().all(|redirect| redirect.harmless)
            && self.spelled_words() >= segment.spelled
            && self.covers_name(&segment.argv)
            && self.covers(&segment.argv)
    }

    /// Whether this rule hits a command text, wrapped as it may be.
    ///
    /// The rule `*` hits every text, at index zero, also one of which nothing could be read.
    pub fn denies(&self, reading: &ShellReading) -> Denial {
        if self.words.is_empty() {
            return Denial::Plain(0);
        }
        let hit = reading
            .segments
            .iter()
            .position(|segment| self.hits(segment));
        if let Some(index) = hit {
            return Denial::Plain(index);
        }
        let starts_unknown = reading
            .segments
            .iter()
            .any(|segment| segment.starts_unknown);
        let is_unclear = starts_unknown || reading.opaque.is_some();
        if is_unclear
            && reading
                .words_of_text
                .iter()
                .any(|word| self.may_begin(word))
        {
            Denial::Possible
        } else {
            Denial::No
        }
    }

    /// Makes the rule that "always" stores for a command text: exactly these words.
    ///
    /// `None` for everything but one plain command without wrapper, hazard and redirection.
    pub fn for_always(reading: &ShellReading) -> Option<String> {
        let [segment] = reading.segments.as_slice() else {
            return None;
        };
        let is_plain = reading.opaque.is_none()
            && segment.complete
            && segment.wrapper.is_none()
            && segment.hazards.is_empty()
            && segment.redirects.is_empty();
        is_plain.then(|| {
            let words: Vec<String> = segment.argv.iter().map(|word| lexer::quote(word)).collect();
            words.join(" ")
        })
    }

    fn spelled_words(&self) -> usize {
        let is_literal = |word: &&Vec<Piece>| !word.contains(&Piece::Many);
        let literal = self.words.iter().take_while(is_literal).count();
        if literal == self.words.len() && !self.is_open {
            usize::MAX
        } else {
            literal
        }
    }

    /// A name with a folder is another program than the bare name; `*` alone is all of them.
    fn covers_name(&self, argv: &[String]) -> bool {
        let has_slash = argv.first().is_some_and(|name| name.contains('/'));
        let Some(word) = self.words.first() else {
            return true;
        };
        !has_slash || word.contains(&Piece::Char('/'))
    }

    fn covers(&self, argv: &[String]) -> bool {
        let has_length = if self.is_open {
            argv.len() >= self.words.len()
        } else {
            argv.len() == self.words.len()
        };
        has_length
            && self
                .words
                .iter()
                .zip(argv)
                .all(|(word, arg)| matches(word, arg))
    }

    fn hits(&self, segment: &Segment) -> bool {
        std::iter::once(&segment.argv)
            .chain(&segment.inner)
            .any(|argv| self.hits_words(argv, segment.complete))
    }

    /// Matches word by word, but lets options and their values stand between the words of the rule.
    fn hits_words(&self, argv: &[String], is_complete: bool) -> bool {
        let Some((name, args)) = argv.split_first() else {
            return false;
        };
        let Some((first, words)) = self.words.split_first() else {
            return true;
        };
        if !matches(first, name) && !matches(first, base_name(name)) {
            return false;
        }
        let mut reached = vec![0];
        for word in words {
            let before = std::mem::take(&mut reached);
            for at in before {
                reached.extend(places_of(word, args, at));
            }
            reached.sort_unstable();
            reached.dedup();
        }
        let is_at_end = |at: &usize| is_complete && *at == args.len();
        if self.is_open {
            !reached.is_empty()
        } else {
            reached.iter().any(is_at_end)
        }
    }

    fn may_begin(&self, word: &str) -> bool {
        let Some(first) = self.words.first() else {
            return true;
        };
        let name = base_name(word);
        let literal: Option<String> = first
            .iter()
            .map(|piece| match piece {
                Piece::Char(c) => Some(*c),
                _ => None,
            })
            .collect();
        matches(first, word)
            || matches(first, name)
            || literal.is_some_and(|first| {
                tokens::may_expand_to(word, &first)
                    || tokens::may_expand_to(name, base_name(&first))
            })
    }
}

/// The places behind a word that matches from `at` on, where only options were passed over.
fn places_of(word: &[Piece], args: &[String], mut at: usize) -> Vec<usize> {
    let mut places = Vec::new();
    let mut may_be_value = false;
    while let Some(arg) = args.get(at) {
        if matches(word, arg) {
            places.push(at + 1);
        }
        let is_option = arg.starts_with('-');
        if !is_option && !may_be_value {
            break;
        }
        may_be_value = is_option;
        at += 1;
    }
    places
}
