use std::path::PathBuf;

use super::{ResourceProblem, Resources, arguments};
use crate::prompt::escaped;

/// What a command was expanded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// What the model is told instead.
    pub text: String,
    /// The file that says so.
    pub path: PathBuf,
}

/// Why a command cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// There is no such skill.
    #[error("there is no skill `{name}`; {}", listed(known))]
    UnknownSkill {
        /// What was asked for.
        name: String,
        /// The skills that there are.
        known: Vec<String>,
    },
    /// The file of the skill cannot be used any more.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: ResourceProblem,
    },
}

/// A skill or template, as clients list it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceCommand {
    /// What to type behind the slash.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it is a `skill` or a `prompt`.
    pub source: &'static str,
    /// What may follow the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// Where it was found.
    pub source_info: std::sync::Arc<deed_protocol::SourceInfo>,
}

impl Resources {
    /// Expands `/skill:name …` and `/name …`; `None` if the text is no command of these.
    ///
    /// Errors: a skill that is not there, or whose file cannot be read any more. A slash before any
    /// other word is no command: it may begin a path.
    pub fn expand(&self, text: &str) -> Result<Option<Expanded>, ExpandError> {
        let Some(command) = text.strip_prefix('/') else {
            return Ok(None);
        };
        let end = command.find(char::is_whitespace).unwrap_or(command.len());
        let (name, rest) = command.split_at(end);
        match name.strip_prefix("skill:") {
            Some(skill) => self.expand_skill(skill, rest.trim()).map(Some),
            None => Ok(self.expand_template(name, rest)),
        }
    }

    fn expand_template(&self, name: &str, rest: &str) -> Option<Expanded> {
        let template = self.prompts.iter().find(|one| one.name == name)?;
        Some(Expanded {
            text: arguments::substitute(&template.text, &arguments::split(rest)),
            path: template.path.clone(),
        })
    }

    fn expand_skill(&self, name: &str, request: &str) -> Result<Expanded, ExpandError> {
        let Some(skill) = self.skills.iter().find(|skill| skill.name == name) else {
            let names = self.skills.iter().map(|skill| skill.name.clone());
            return Err(ExpandError::UnknownSkill {
                name: name.to_owned(),
                known: names.collect(),
            });
        };
        let body = skill.instructions().map_err(|problem| {
            let path = skill.path.clone();
            ExpandError::Unusable { path, problem }
        })?;
        // Clients written for Pi find the skill in a message by this element.
        let mut text = format!(
            "<skill name=\"{}\" location=\"{}\">\nPaths in it start from {}.\n\n{body}\n</skill>",
            escaped(&skill.name),
            escaped(&skill.path.display().to_string()),
            skill.folder().display(),
        );
        if !request.is_empty() {
            text.push_str("\n\n");
            text.push_str(request);
        }
        let path = skill.path.clone();
        Ok(Expanded { text, path })
    }

    /// Lists the commands that there are: templates, then skills.
    pub fn commands(&self) -> Vec<ResourceCommand> {
        let prompts = self.prompts.iter().map(|prompt| ResourceCommand {
            name: prompt.name.clone(),
            description: prompt.description.clone(),
            source: "prompt",
            argument_hint: prompt.argument_hint.clone(),
            source_info: prompt.source.clone(),
        });
        let skills = self.skills.iter().map(|skill| ResourceCommand {
            name: format!("skill:{}", skill.name),
            description: skill.description.clone(),
            source: "skill",
            argument_hint: None,
            source_info: skill.source.clone(),
        });
        prompts.chain(skills).collect()
    }
}

fn listed(known: &[String]) -> String {
    const MAX_LISTED: usize = 20;
    if known.is_empty() {
        return "none was found".to_owned();
    }
    let names: Vec<&str> = known.iter().take(MAX_LISTED).map(String::as_str).collect();
    let more = match known.len() > MAX_LISTED {
        true => ", …",
        false => "",
    };
    format!("there are {}{more}", names.join(", "))
}
