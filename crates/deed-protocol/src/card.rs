use serde::{Deserialize, Serialize};

/// A tool call or its result as something to look at, free of any front end.
///
/// Shape: a title line, small badges beside it, then blocks from top to bottom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCard {
    /// The tool's label, such as `read`.
    pub title: String,
    /// What the call is about, such as a path or a command; one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Short facts beside the title.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub badges: Vec<Badge>,
    /// The body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Whether the blocks bring a frame of their own, so that a front end draws none round them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bare: bool,
}

impl ToolCard {
    /// Makes a card with a title and a subject.
    pub fn new(title: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subject: subject.into(),
            ..Self::default()
        }
    }

    /// Adds a badge.
    pub fn badge(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.badges.push(Badge {
            text: text.into(),
            tone,
        });
        self
    }

    /// Adds a block.
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
}

/// A short fact beside the title of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Badge {
    /// The fact, a few words.
    pub text: String,
    /// How it should strike the reader.
    pub tone: Tone,
}

/// How something should strike the reader; a front end maps it to what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tone {
    /// Like the text round it.
    #[default]
    Plain,
    /// Less than the text round it.
    Muted,
    /// Something went well.
    Good,
    /// Something to notice.
    Warning,
    /// Something failed.
    Bad,
}

/// One part of the body of a card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Block {
    /// Plain text, lines separated by LF.
    Text {
        /// The text.
        text: String,
    },
    /// Source code or other text with a syntax.
    Code {
        /// The code.
        text: String,
        /// A language name such as `rust`, or a file extension; empty if unknown.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        language: String,
        /// The number of the first line, if numbers should be shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_line_1based: Option<u64>,
    },
    /// What changed in a file.
    Diff {
        /// The file, as the call named it.
        path: String,
        /// Lines in order; a gap stands where lines were left out.
        lines: Vec<DiffLine>,
    },
    /// Rows and columns.
    Table {
        /// Names of the columns.
        columns: Vec<String>,
        /// Rows of cells.
        rows: Vec<Vec<Cell>>,
        /// Rows that exist but are not here.
        #[serde(default)]
        omitted_rows: u64,
    },
    /// A picture.
    Image {
        /// Base64 without a data-URL prefix.
        data: String,
        /// The media type.
        mime_type: String,
        /// What to say where pictures cannot be shown.
        alt: String,
    },
    /// Names and values.
    KeyValues {
        /// Pairs in order.
        pairs: Vec<KeyValue>,
    },
    /// How far something is.
    Progress(Progress),
    /// A remark about the result.
    Notice {
        /// How serious it is.
        level: NoticeLevel,
        /// The remark.
        text: String,
    },
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// What happened to the line.
    pub kind: DiffLineKind,
    /// Its number before, or after for an added line; absent for a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_1based: Option<u64>,
    /// The line without its end.
    pub text: String,
}

/// What happened to a line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DiffLineKind {
    /// It stayed.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Lines were left out here.
    Gap,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// The value as text.
    pub text: String,
    /// Whether it is a number and so stands at the right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_number: bool,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyValue {
    /// The name.
    pub key: String,
    /// The value.
    pub value: String,
}

/// How far something is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// What is going on.
    pub label: String,
    /// Steps done.
    pub done: u64,
    /// Steps in all, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// How serious a remark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something was cut or guessed.
    Warning,
    /// Something failed.
    Error,
}
