use std::fmt;

use serde::{Deserialize, Serialize};

/// The interface that a model is reached through.
///
/// Shape: written as Pi names it, such as `openai-completions`; read also by the short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Api {
    /// OpenAI Chat Completions, and everything that speaks it.
    #[serde(rename = "openai-completions", alias = "chat")]
    Chat,
    /// OpenAI Responses.
    #[serde(rename = "openai-responses", alias = "responses")]
    Responses,
    /// Anthropic Messages.
    #[serde(rename = "anthropic-messages", alias = "anthropic")]
    Anthropic,
    /// Google Gemini.
    #[serde(rename = "google-generative-ai", alias = "gemini")]
    Gemini,
}

/// Every interface, with its name on the wire and its short name.
const NAMES: [(Api, &str, &str); 4] = [
    (Api::Chat, "openai-completions", "chat"),
    (Api::Responses, "openai-responses", "responses"),
    (Api::Anthropic, "anthropic-messages", "anthropic"),
    (Api::Gemini, "google-generative-ai", "gemini"),
];

impl Api {
    /// Returns its name in messages and session files.
    pub fn as_str(self) -> &'static str {
        let row = NAMES.iter().find(|(api, ..)| *api == self);
        row.map_or("", |(_, name, _)| name)
    }

    /// Returns the interface of this name, long or short.
    pub fn named(word: &str) -> Option<Self> {
        let row = NAMES
            .iter()
            .find(|(_, name, short)| *name == word || *short == word);
        row.map(|(api, ..)| *api)
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
