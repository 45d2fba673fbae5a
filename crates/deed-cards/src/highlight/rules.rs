/// How the words, strings and comments of a language look.
///
/// Shape: word lists are sorted by bytes (a test checks it), and in lower case if case is folded.
pub(super) struct Rules {
    pub(super) keywords: &'static [&'static str],
    pub(super) types: &'static [&'static str],
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// Longer openings stand before shorter ones that begin alike.
    pub(super) quotes: &'static [Quote],
    /// Words that belong to the string right after them, such as `f` in Python.
    pub(super) string_prefixes: &'static [&'static str],
    /// Bytes that make the word after them a name, such as `$`.
    pub(super) sigils: &'static [u8],
    /// Bytes beside letters, digits and `_` that a word may hold after its first.
    pub(super) word_bytes: &'static [u8],
    pub(super) keys: Keys,
    pub(super) here_documents: HereDocuments,
    pub(super) habits: Habits,
}

/// A kind of string.
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a backslash takes the byte after it along.
    pub(super) escapes: bool,
    pub(super) multi_line: bool,
}

/// What marks the key of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    None,
    /// A string with a colon after it (JSON).
    QuotedColon,
    /// What stands before a colon at the start of a line (YAML).
    LineColon,
    /// What stands before an equals sign at the start of a line (TOML).
    LineEquals,
    /// A word with a colon and a blank after it (CSS).
    WordColon,
    /// What stands before a colon in a line that is not indented (make).
    Target,
}

/// Which `<<` starts a here-document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HereDocuments {
    None,
    /// `<<TAG` and `<<-TAG`.
    Shell,
    /// `<<-TAG` and `<<~TAG` only, since `<<` also appends.
    Ruby,
    /// `<<<TAG`.
    Php,
}

/// A trait of a language that is on or off.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Case of keywords does not matter.
    FoldCase,
    /// Keywords count only as the first word of a line.
    KeywordsFirst,
    /// Block comments nest.
    NestedComments,
    /// A word with a capital and a small letter is a type.
    CapitalTypes,
    /// `'a` is a lifetime unless a quote follows; `r#"…"#` is a string; `name!` is called.
    Rust,
    /// `/…/` is a string where a value may start.
    Regexes,
    /// A comment or a quote starts only after a blank or bracket.
    AfterBlank,
    /// A line comment starts only after a blank.
    CommentAfterBlank,
    /// `[name]` alone in a line is a heading.
    Sections,
    /// `@name` and `#name` are keywords (decorators, attributes, preprocessor).
    Directives,
    /// A word with `(` after it is a function.
    Calls,
}

/// A set of habits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Habits(u16);

impl Habits {
    pub(super) const fn of(mut habits: &[Habit]) -> Self {
        let mut set = 0;
        while let [habit, rest @ ..] = habits {
            set |= 1 << *habit as u16;
            habits = rest;
        }
        Self(set)
    }
}

impl Rules {
    /// A language of which nothing is known; rows are written as changes to it.
    pub(super) const PLAIN: Self = Self {
        keywords: &[],
        types: &[],
        line_comments: &[],
        block_comment: None,
        quotes: &[],
        string_prefixes: &[],
        sigils: b"",
        word_bytes: b"",
        keys: Keys::None,
        here_documents: HereDocuments::None,
        habits: Habits(0),
    };

    /// The bytes that may start a comment, a string or a name with a sign, one bit each.
    pub(super) fn openers(&self) -> u128 {
        let comments = self
            .line_comments
            .iter()
            .chain(self.block_comment.as_ref().map(|(open, _)| open));
        let marks = comments
            .copied()
            .chain(self.quotes.iter().map(|quote| quote.open));
        let mut openers = marks
            .filter_map(|mark| mark.bytes().next())
            .fold(0, with_byte);
        openers = self.sigils.iter().copied().fold(openers, with_byte);
        for (habit, bytes) in [
            (Habit::Rust, &b"'"[..]),
            (Habit::Regexes, b"/"),
            (Habit::Directives, b"@#"),
        ] {
            if self.has(habit) {
                openers = bytes.iter().copied().fold(openers, with_byte);
            }
        }
        openers
    }

    pub(super) fn has(&self, habit: Habit) -> bool {
        self.habits.0 >> habit as u16 & 1 == 1
    }
}

impl Quote {
    /// A string that ends with the line at the latest.
    pub(super) const fn short(mark: &'static str) -> Self {
        Self {
            open: mark,
            close: mark,
            escapes: true,
            multi_line: false,
        }
    }

    /// A string that may hold line ends.
    pub(super) const fn long(mark: &'static str) -> Self {
        Self {
            open: mark,
            close: mark,
            escapes: true,
            multi_line: true,
        }
    }

    /// A string in which a backslash is a backslash.
    pub(super) const fn verbatim(open: &'static str, close: &'static str) -> Self {
        Self {
            open,
            close,
            escapes: false,
            multi_line: true,
        }
    }
}

fn with_byte(set: u128, byte: u8) -> u128 {
    set | 1u128.checked_shl(u32::from(byte)).unwrap_or(0)
}
