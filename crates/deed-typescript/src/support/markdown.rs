//! `docs/extensions.md`: written by hand around tables that the code itself fills.

use super::{How, Member, MemberGroup, MemberKind, Support, support};
use crate::ScriptError;

/// The document; `{{name}}` on a line of its own stands where something goes.
const TEMPLATE: &str = include_str!("extensions.md");

/// More names than this that do nothing are counted.
const MOST_REFUSED: usize = 25;

type Filler = fn(&Support) -> String;

/// What goes where.
const FILLERS: &[(&str, Filler)] = &[
    ("objects", |support| groups(support, MemberKind::Object)),
    ("events", |support| groups(support, MemberKind::Event)),
    ("modules", |support| modules(support, |name| !is_node(name))),
    ("node", |support| modules(support, is_node)),
    ("empty", empty_modules),
];

/// Writes the document for authors and users of extensions.
///
/// Errors: as [`support`].
pub async fn extensions_markdown() -> Result<String, ScriptError> {
    let support = support().await?;
    let fill = |text: String, (name, fill): &(&str, Filler)| {
        text.replace(&format!("{{{{{name}}}}}"), fill(&support).trim_end())
    };
    Ok(FILLERS.iter().fold(TEMPLATE.to_owned(), fill))
}

fn is_node(module: &str) -> bool {
    module.starts_with("node:")
}

fn of_kind(support: &Support, kind: MemberKind) -> impl Iterator<Item = &MemberGroup> {
    let groups = support.groups.iter();
    groups.filter(move |group| group.kind == kind)
}

/// What is whole in one line, and a table of the rest.
fn groups(support: &Support, kind: MemberKind) -> String {
    let text = of_kind(support, kind).map(|group| {
        let whole = group.members.iter();
        let whole: Vec<_> = whole
            .filter(|one| one.how == How::Whole)
            .map(named)
            .collect();
        let rest: String = group.members.iter().filter_map(row).collect();
        let table = match rest.is_empty() {
            true => String::new(),
            false => format!("\n| | supported | |\n|---|---|---|\n{rest}"),
        };
        let whole = match whole.is_empty() {
            true => "Nothing of it is whole".to_owned(),
            false => whole.join(", "),
        };
        format!("{}{whole}.\n{table}\n", heading(group))
    });
    text.collect()
}

/// `ctx` of a tool, but `pi`.
fn heading(group: &MemberGroup) -> String {
    match (group.kind, group.name.split_once(" of ")) {
        (MemberKind::Event, _) => String::new(),
        (_, Some((object, whose))) => format!("### `{object}` of {whose}\n\n"),
        (_, None) if group.name.contains(' ') => format!("### Fields of {}\n\n", group.name),
        (_, None) => format!("### `{}`\n\n", group.name),
    }
}

fn named(member: &Member) -> String {
    let own = if member.is_of_pi {
        ""
    } else {
        " (not in Pi's types)"
    };
    format!("`{}`{own}", member.name)
}

fn row(member: &Member) -> Option<String> {
    let (word, note) = match &member.how {
        How::Whole => return None,
        How::Part(note) => ("in part", note.as_str()),
        How::Refused(note) => ("no", note.as_deref().unwrap_or_default()),
    };
    Some(format!("| {} | {word} | {note} |\n", named(member)))
}

/// Modules have many names: those that work and those that do not stand together.
fn modules(support: &Support, is_meant: impl Fn(&str) -> bool) -> String {
    let groups = of_kind(support, MemberKind::Module);
    let groups = groups.filter(|group| is_meant(&group.name) && !is_empty(group));
    let rows = groups.map(|group| {
        let whole = listed(group, |how| matches!(how, How::Whole).then(String::new));
        let part = listed(group, |how| match how {
            How::Part(note) => Some(format!(" ({note})")),
            _ => None,
        });
        let refused = listed(group, |how| match how {
            How::Refused(note) => Some(note.iter().map(|note| format!(" ({note})")).collect()),
            _ => None,
        });
        let refused = match refused.len() {
            count if count > MOST_REFUSED => format!("{count} others"),
            _ => joined(&refused),
        };
        let cells = [joined(&whole), joined(&part), refused];
        format!("| `{}` | {} |\n", group.name, cells.join(" | "))
    });
    let head = "| module | supported | in part | not supported |\n|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<String>()
}

fn listed(group: &MemberGroup, pick: impl Fn(&How) -> Option<String>) -> Vec<String> {
    let name = |member: &Member| Some(format!("`{}`{}", member.name, pick(&member.how)?));
    group.members.iter().filter_map(name).collect()
}

fn joined(names: &[String]) -> String {
    match names.is_empty() {
        true => "–".to_owned(),
        false => names.join(", "),
    }
}

/// Tells whether nothing that a module exports does anything.
fn is_empty(group: &MemberGroup) -> bool {
    let mut members = group.members.iter();
    members.all(|member| matches!(member.how, How::Refused(_)))
}

fn empty_modules(support: &Support) -> String {
    let groups = of_kind(support, MemberKind::Module).filter(|group| is_empty(group));
    let names: Vec<_> = groups.map(|group| format!("`{}`", group.name)).collect();
    names.join(", ")
}
