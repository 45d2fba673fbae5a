use std::path::Path;

use deed_tooling::ToolPrompt;

const ROLE: &str = "You are Deed, an agent that does work on a person's computer through tools. \
You read before you change, change only what was asked for, and check the result. A tool call that \
fails comes back as an error: read it, mend the call or choose another way, and tell the person \
when you cannot go on.";

/// How the system prompt is put together.
#[derive(Clone, Debug, Default)]
pub struct SystemPrompt {
    /// Stands in place of the role, the tools and the guidelines.
    pub replacement: Option<String>,
    /// Stands behind them, in order.
    pub appended: Vec<String>,
    /// Further guidelines, behind those of the tools.
    pub guidelines: Vec<String>,
}

impl SystemPrompt {
    /// Puts the prompt together for the tools that are active.
    pub fn assemble(&self, tools: &ToolPrompt, cwd: &Path) -> String {
        let mut parts = match &self.replacement {
            Some(text) => vec![text.clone()],
            None => vec![ROLE.to_owned(), tools.to_text(&self.guidelines)],
        };
        parts.extend(self.appended.iter().cloned());
        parts.push(format!("Working folder: {}", cwd.display()));
        parts.join("\n\n")
    }
}
