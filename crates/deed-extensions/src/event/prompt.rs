use std::sync::Arc;

use super::told;

/// How a person is asked something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UiPromptKind {
    /// To choose.
    Select,
    /// For a yes.
    Confirm,
    /// For a line of text.
    Input,
    /// For a text of several lines.
    Editor,
}

impl UiPromptKind {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Confirm => "confirm",
            Self::Input => "input",
            Self::Editor => "editor",
        }
    }
}

/// The session begins to wait for a person: the first question of some that overlap is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiPromptStartEvent {
    /// How they are asked.
    pub kind: UiPromptKind,
    /// The question.
    pub title: Arc<str>,
}

/// The session waits for nobody any more: the last question of some that overlapped is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiPromptEndEvent {
    /// How they were asked first.
    pub kind: UiPromptKind,
    /// The first question.
    pub title: Arc<str>,
}

told! {
    UiPromptStartEvent = "ui_prompt_start",
    UiPromptEndEvent = "ui_prompt_end",
}
