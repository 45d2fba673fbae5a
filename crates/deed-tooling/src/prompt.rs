use std::sync::Arc;

use crate::RegisteredTool;

const SHELLS: [&str; 2] = ["bash", "powershell"];
const LOOKERS: [&str; 3] = ["grep", "find", "ls"];
const SHELL_LOOKS: &str = "Use the shell to list and search files (ls, rg, find)";
const CLOSING: [&str; 2] = [
    "Keep your answers short",
    "Give the path of each file that you talk about",
];

/// What the system prompt says of the active tools.
///
/// Made by [`crate::ToolRegistry::snapshot`] from the same list as the schemas that go to the
/// provider, so the two cannot differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPrompt {
    active: Vec<Arc<str>>,
    listed: Vec<(Arc<str>, String)>,
    guidelines: Vec<String>,
}

impl ToolPrompt {
    pub(crate) fn of(active: &[&RegisteredTool]) -> Self {
        let is_active = |name: &&str| active.iter().any(|tool| tool.name().as_ref() == *name);
        let mut prompt = Self::default();
        if SHELLS.iter().any(&is_active) && !LOOKERS.iter().any(&is_active) {
            prompt.guidelines.push(SHELL_LOOKS.to_owned());
        }
        for tool in active {
            prompt.active.push(tool.name().clone());
            let text = tool.definition().prompt();
            if let Some(snippet) = text.snippet() {
                prompt
                    .listed
                    .push((tool.name().clone(), snippet.to_owned()));
            }
            for guideline in text.guidelines() {
                add_once(&mut prompt.guidelines, guideline);
            }
        }
        prompt
    }

    /// Tells whether a tool of this name is active, listed or not.
    pub fn is_active(&self, name: &str) -> bool {
        self.active.iter().any(|active| &**active == name)
    }

    /// Returns the names that the list shows, in order: the active tools that have a snippet.
    pub fn listed_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.listed.iter().map(|(name, _)| name)
    }

    /// Returns the lines of the list of tools.
    pub fn available_tools(&self) -> String {
        let mut text = String::new();
        if self.listed.is_empty() {
            text.push_str("(none)\n");
        }
        for (name, snippet) in &self.listed {
            text.push_str(&format!("- {name}: {snippet}\n"));
        }
        text.push_str("\nThere may be other tools as well; what each does is in its description.");
        text
    }

    /// Returns the rules, each once: those of the tools, then `extra`, then two for all.
    pub fn guidelines<E: AsRef<str>>(&self, extra: &[E]) -> Vec<String> {
        let mut rules = self.guidelines.clone();
        let extra = extra.iter().map(AsRef::as_ref);
        for rule in extra.chain(CLOSING) {
            add_once(&mut rules, rule);
        }
        rules
    }

    /// Returns both sections with their headings.
    pub fn to_text<E: AsRef<str>>(&self, extra: &[E]) -> String {
        let rules: Vec<String> = self
            .guidelines(extra)
            .iter()
            .map(|rule| format!("- {rule}"))
            .collect();
        format!(
            "Available tools:\n{}\n\nGuidelines:\n{}",
            self.available_tools(),
            rules.join("\n")
        )
    }
}

fn add_once(rules: &mut Vec<String>, rule: &str) {
    let rule = rule.trim();
    if !rule.is_empty() && !rules.iter().any(|there| there == rule) {
        rules.push(rule.to_owned());
    }
}
