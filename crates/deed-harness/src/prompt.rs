mod sections;

use std::path::Path;

use deed_tooling::ToolPrompt;

use crate::resources::{ContextFile, Resources, Skill};

pub(crate) use sections::escaped;

const ROLE: &str = "You are Deed, an agent that does work on a person's computer through tools. \
You read before you change, change only what was asked for, and check the result. A tool call that \
fails comes back as an error: read it, mend the call or choose another way, and tell the person \
when you cannot go on.";

/// How the system prompt is put together.
///
/// Shape: role, tools and guidelines (or what replaces them), appended texts, project context,
/// skills, working folder. It holds no time and nothing that changes by itself, so that providers
/// can keep it in their caches.
#[derive(Clone, Debug, Default)]
pub struct SystemPrompt {
    /// Stands in place of the role, the tools and the guidelines.
    pub replacement: Option<String>,
    /// Stands behind them, in order.
    pub appended: Vec<String>,
    /// Further guidelines, behind those of the tools.
    pub guidelines: Vec<String>,
    /// What people wrote down for agents that work here, the nearest last.
    pub context_files: Vec<ContextFile>,
    /// Skills; the prompt speaks of them while a tool can read their files.
    pub skills: Vec<Skill>,
}

impl SystemPrompt {
    /// Takes what was found; a text that is given here goes before the file for it.
    pub fn of_resources(
        resources: &Resources,
        replacement: Option<String>,
        appended: Vec<String>,
    ) -> Self {
        let text_of = |file: &crate::SystemFile| file.text.clone();
        let appended = match appended.is_empty() {
            true => resources.append_system.iter().map(text_of).collect(),
            false => appended,
        };
        Self {
            replacement: replacement.or_else(|| resources.system.as_ref().map(text_of)),
            appended,
            guidelines: Vec::new(),
            context_files: resources.context_files.clone(),
            skills: resources.skills.clone(),
        }
    }

    /// Puts the prompt together for the tools that are active.
    pub fn assemble(&self, tools: &ToolPrompt, cwd: &Path) -> String {
        let mut parts = match &self.replacement {
            Some(text) => vec![text.clone()],
            None => vec![ROLE.to_owned(), tools.to_text(&self.guidelines)],
        };
        parts.extend(self.appended.iter().cloned());
        parts.extend(sections::project_context(&self.context_files));
        parts.extend(sections::skills(&self.skills, tools));
        parts.push(format!("Working folder: {}", cwd.display()));
        parts.join("\n\n")
    }
}
