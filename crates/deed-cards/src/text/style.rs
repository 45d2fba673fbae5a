use deed_protocol::Tone;

use crate::highlight::Class;

/// How a stretch of text is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Muted,
    Strong,
    Toned(Tone),
    Token(Class),
    AddedWord,
    RemovedWord,
    /// The visible form of something invisible.
    Odd,
}

impl Style {
    /// The parameters of the escape code, empty for none.
    ///
    /// Only colours that stand out on dark and on light backgrounds and that the oldest terminals
    /// know: no bright ones, no blue, faint instead of grey.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Plain | Self::Toned(Tone::Plain) | Self::Token(Class::Punctuation) => "",
            Self::Muted | Self::Toned(Tone::Muted) | Self::Token(Class::Comment) => "2",
            Self::Strong | Self::Token(Class::Heading) => "1",
            Self::Toned(Tone::Good) | Self::Token(Class::Added | Class::String) => "32",
            Self::Toned(Tone::Warning) | Self::Token(Class::Function) => "33",
            Self::Toned(Tone::Bad) | Self::Token(Class::Removed) => "31",
            Self::Token(Class::Keyword) => "35",
            Self::Token(Class::Type | Class::Number | Class::Name) => "36",
            Self::AddedWord => "7;32",
            Self::RemovedWord => "7;31",
            Self::Odd => "7;35",
        }
    }
}

/// The signs that cards are drawn with.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) bullet: &'static str,
    pub(super) speaker: &'static str,
    pub(super) rule: &'static str,
    pub(super) ellipsis: &'static str,
    pub(super) gap: &'static str,
    pub(super) minus: &'static str,
    pub(super) times: &'static str,
    /// Between badges; three columns.
    pub(super) between: &'static str,
    pub(super) line: &'static str,
    pub(super) done: &'static str,
    pub(super) to_do: &'static str,
}

pub(super) const UNICODE: Signs = Signs {
    bullet: "●",
    speaker: "▌",
    rule: "│",
    ellipsis: "…",
    gap: "⋮",
    minus: "−",
    times: "×",
    between: " · ",
    line: "─",
    done: "━",
    to_do: "─",
};

pub(super) const ASCII: Signs = Signs {
    bullet: "*",
    speaker: ">",
    rule: "|",
    ellipsis: "...",
    gap: ":",
    minus: "-",
    times: "x",
    between: " | ",
    line: "-",
    done: "#",
    to_do: ".",
};
