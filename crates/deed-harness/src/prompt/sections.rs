use deed_tooling::ToolPrompt;

use crate::resources::{ContextFile, Skill};

/// The elements of the context section; a file that closes one of them would speak in our name.
const ELEMENTS: [&str; 2] = ["project_context", "context_file"];

/// Returns the section of context files; `None` without any.
pub(super) fn project_context(files: &[ContextFile]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let mut text =
        "<project_context>\nWritten down by people for work in these folders. Where two \
                    files differ, the later one holds."
            .to_owned();
    for file in files {
        let path = escaped(&file.path.display().to_string());
        text.push_str(&format!("\n\n<context_file path=\"{path}\">\n"));
        push_without_closing(&mut text, &file.text);
        text.push_str("\n</context_file>");
    }
    text.push_str("\n</project_context>");
    Some(text)
}

/// Returns the list of skills; `None` without any, or while no tool can read their files.
pub(super) fn skills(skills: &[Skill], tools: &ToolPrompt) -> Option<String> {
    let reader = match (tools.is_active("read"), tools.is_active("bash")) {
        (true, _) => "with the read tool",
        (false, true) => "with bash",
        (false, false) => return None,
    };
    let lines: Vec<String> = skills
        .iter()
        .filter(|skill| skill.in_prompt)
        .map(line)
        .collect();
    if lines.is_empty() {
        return None;
    }
    Some(format!(
        "Skills:\n{}\n\nWhen a task fits the description of a skill, first read its file, which is \
         named in brackets, {reader}, and follow it. Paths in it start from the folder it is in.",
        lines.join("\n")
    ))
}

fn line(skill: &Skill) -> String {
    let path = skill.path.display().to_string();
    let path = path.replace(char::is_control, "\u{fffd}");
    format!("- {}: {} [{path}]", skill.name, skill.description)
}

fn push_without_closing(text: &mut String, mut rest: &str) {
    while let Some((before, after)) = rest.split_once("</") {
        text.push_str(before);
        let name = after.trim_start();
        let closes = |element: &&str| {
            let head = name.get(..element.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(element))
        };
        text.push_str(match ELEMENTS.iter().any(closes) {
            true => "&lt;/",
            false => "</",
        });
        rest = after;
    }
    text.push_str(rest);
}

/// Makes a text safe between quotes in an element.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
