use std::fmt;

use super::rows::LANGUAGES;
use super::rules::Rules;
use super::{LexState, Span, markup, prose, scan};

/// A language that can be highlighted: one row of the table.
pub struct Language {
    pub(super) name: &'static str,
    /// Other names and file extensions, in lower case.
    pub(super) aliases: &'static [&'static str],
    pub(super) grammar: Grammar,
}

/// Which reader a language needs.
pub(super) enum Grammar {
    Code(Rules),
    /// Tags; with `script` and `style` read in their own languages if set.
    Markup {
        embeds: bool,
    },
    Markdown,
    Diff,
}

impl Language {
    /// Finds a language by its name or a file extension, in any case, with or without a dot.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = name.strip_prefix('.').unwrap_or(name);
        LANGUAGES.iter().find(|row| {
            row.name.eq_ignore_ascii_case(name)
                || row
                    .aliases
                    .iter()
                    .any(|alias| alias.eq_ignore_ascii_case(name))
        })
    }

    /// Finds the language of a file by its name: the whole of it, such as `Makefile`, or its
    /// extension.
    pub fn of_path(path: &str) -> Option<&'static Self> {
        let file = path.rsplit(['/', '\\']).next()?;
        let by_extension = || file.rsplit_once('.').and_then(|(_, end)| Self::named(end));
        let by_stem = || {
            let (stem, _) = file.split_once('.')?;
            matches!(stem, "Dockerfile" | "Makefile")
                .then(|| Self::named(stem))
                .flatten()
        };
        Self::named(file).or_else(by_extension).or_else(by_stem)
    }

    /// All languages, in the order of the table.
    pub fn all() -> &'static [Self] {
        LANGUAGES
    }

    /// The name of the language, in lower case.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Other names and file extensions that [`Language::named`] takes.
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Finds what is what in one line; [`highlight`](super::highlight) without the search for the
    /// language.
    pub fn highlight(&self, line: &str, state: &mut LexState) -> Vec<Span> {
        match &self.grammar {
            Grammar::Code(rules) => scan::scan(rules, line, &mut state.mode),
            Grammar::Markup { embeds } => markup::scan(*embeds, line, &mut state.mode),
            Grammar::Markdown => prose::markdown(line, &mut state.mode),
            Grammar::Diff => prose::diff(line),
        }
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Language").field(&self.name).finish()
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}
