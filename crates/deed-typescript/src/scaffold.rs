//! A first extension for an author, with declarations for the editor.

use std::path::PathBuf;

/// The files of a new extension, as they are built in.
const FILES: &[(&str, &str)] = &[
    ("index.ts", include_str!("../js/new/index.ts")),
    ("tsconfig.json", include_str!("../js/new/tsconfig.json")),
    (
        "types/context.d.ts",
        include_str!("../js/new/types/context.d.ts"),
    ),
    (
        "types/deed-sql.d.ts",
        include_str!("../js/new/types/deed-sql.d.ts"),
    ),
    (
        "types/events.d.ts",
        include_str!("../js/new/types/events.d.ts"),
    ),
    (
        "types/globals.d.ts",
        include_str!("../js/new/types/globals.d.ts"),
    ),
    (
        "types/pi-agent-core.d.ts",
        include_str!("../js/new/types/pi-agent-core.d.ts"),
    ),
    (
        "types/pi-ai.d.ts",
        include_str!("../js/new/types/pi-ai.d.ts"),
    ),
    (
        "types/pi-coding-agent.d.ts",
        include_str!("../js/new/types/pi-coding-agent.d.ts"),
    ),
    (
        "types/pi-tui.d.ts",
        include_str!("../js/new/types/pi-tui.d.ts"),
    ),
    (
        "types/session.d.ts",
        include_str!("../js/new/types/session.d.ts"),
    ),
    (
        "types/tools.d.ts",
        include_str!("../js/new/types/tools.d.ts"),
    ),
    (
        "types/typebox-builders.d.ts",
        include_str!("../js/new/types/typebox-builders.d.ts"),
    ),
    (
        "types/typebox-value.d.ts",
        include_str!("../js/new/types/typebox-value.d.ts"),
    ),
    (
        "types/typebox.d.ts",
        include_str!("../js/new/types/typebox.d.ts"),
    ),
];

/// Longer names are no names.
const MAX_NAME_CHARS: usize = 40;

/// A name that an extension cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name for an extension; use small letters, digits and `-`, beginning with a letter"
)]
pub struct BadName(String);

/// Returns the files of a new extension of a name: a tool, a gate and a command in `index.ts`, and
/// declarations for editors.
///
/// Shape: paths within a folder of that name, with what stands in each.
///
/// Errors: the name is none for a folder, a tool and a command.
pub fn new_extension(name: &str) -> Result<Vec<(PathBuf, String)>, BadName> {
    let is_letter = |character: char| character.is_ascii_lowercase();
    let is_part =
        |character: char| is_letter(character) || character.is_ascii_digit() || character == '-';
    let is_name = name.starts_with(is_letter) && name.chars().all(is_part);
    if !is_name || name.len() > MAX_NAME_CHARS {
        return Err(BadName(name.to_owned()));
    }
    let tool = name.replace('-', "_");
    let filled = |text: &str| text.replace("{{tool}}", &tool).replace("{{name}}", name);
    let files = FILES.iter();
    Ok(files
        .map(|(path, text)| (PathBuf::from(path), filled(text)))
        .collect())
}
