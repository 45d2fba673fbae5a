use deed_protocol::{BashExecutionMessage, NoticeLevel, ToolCard, Usage, UserContent};

/// What an export says of the session at its top.
#[derive(Clone, Debug, Default)]
pub struct ExportHead<'a> {
    /// The name of the session, or what was said first; the first line of it is shown.
    pub title: &'a str,
    /// The id of the session; empty if it has none.
    pub session_id: &'a str,
    /// When it began.
    ///
    /// Units: milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// The working folder, as it should be shown; empty to say nothing of it.
    pub folder: &'a str,
    /// What the session came to.
    pub totals: ExportTotals,
}

/// What a session came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportTotals {
    /// Messages of all kinds.
    pub messages: u64,
    /// Tool calls.
    pub calls: u64,
    /// Tool calls whose result is an error.
    pub failed_calls: u64,
    /// Tokens and price of all model calls.
    pub usage: Usage,
}

/// The entry of the session that an item is a part of.
///
/// Shape: items of one entry follow one another; entries are in order, and no two have one id.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportEntry<'a> {
    /// The id of the session's entry, which becomes an anchor; empty if it has none.
    pub id: &'a str,
    /// When it happened.
    ///
    /// Units: milliseconds since 1970.
    pub at_ms: Option<i64>,
}

/// Something that an export shows.
#[derive(Clone, Copy, Debug)]
pub enum ExportItem<'a> {
    /// What a person or program said: text to the letter, and pictures.
    Prompt(&'a UserContent),
    /// What a model said, in Markdown.
    Answer(&'a str),
    /// What a model thought, in Markdown; empty if the provider withheld it.
    Thinking(&'a str),
    /// A tool call and what came of it.
    Call {
        /// The card of the finished call, or of the call where there is no result.
        card: &'a ToolCard,
        /// The id of the entry with the result, which becomes an anchor; empty if it has none.
        result_id: &'a str,
    },
    /// A command that a person ran.
    Command(&'a BashExecutionMessage),
    /// A message of an extension, in Markdown, and pictures.
    Custom {
        /// The extension's name for the kind of message.
        kind: &'a str,
        /// The message.
        content: &'a UserContent,
    },
    /// What stands for messages that are not in the context any more, in Markdown.
    Summary {
        /// What was summed up.
        of: SummaryOf,
        /// The summary.
        text: &'a str,
    },
    /// A setting that changed, such as the model.
    Change {
        /// The setting, such as `model`.
        what: &'a str,
        /// Its new value.
        value: &'a str,
    },
    /// A remark, such as why an answer ended before it was done.
    Notice {
        /// How serious it is.
        level: NoticeLevel,
        /// The remark.
        text: &'a str,
    },
}

/// What a summary sums up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryOf {
    /// The messages before it, to make room in the context.
    Compaction {
        /// Tokens of the context before.
        tokens_before: u64,
    },
    /// A branch of the session that was left.
    Branch,
}
