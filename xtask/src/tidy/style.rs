//! Names, comments and marks that the house does not use.

use super::Fault;
use super::source::{Comment, Source, find_words};
use super::tree::Tree;

/// Type names that say nothing about what the type is.
const SUFFIXES: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils", "Service"];

/// Marks in code and what to write instead.
const MARKS: &[(&str, &str)] = &[
    (
        "#[ignore",
        "a test that never runs proves nothing: make it run, or delete it",
    ),
    ("todo!", "write it, or leave it out and open an issue"),
    (
        "unimplemented!",
        "write it, or leave it out and open an issue",
    ),
    (
        "assert!(true",
        "this cannot fail: assert what the code does",
    ),
];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for source in &tree.sources {
        names(source, &mut faults);
        marks(source, &mut faults);
        comments(source, &mut faults);
    }
    faults
}

fn names(source: &Source, faults: &mut Vec<Fault>) {
    for keyword in ["struct", "enum", "trait", "type", "union"] {
        for at in find_words(&source.code, keyword) {
            let rest = source
                .code
                .get(at + keyword.len()..)
                .unwrap_or_default()
                .trim_start();
            let name: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            let suffix = SUFFIXES
                .iter()
                .copied()
                .find(|suffix| name.ends_with(suffix));
            let Some(suffix) = suffix.or((name == "Data").then_some("Data")) else {
                continue;
            };
            // Inside an `impl` the name is the trait's.
            if keyword == "type" && is_indented(&source.code, at) {
                continue;
            }
            let message = format!(
                "`{name}` is called a {suffix}, which says nothing; name it by what it is or does"
            );
            faults.push(Fault::new(&source.path, source.line_1based(at), message));
        }
    }
}

fn is_indented(code: &str, at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    before.ends_with(' ') && before.trim_end_matches(' ').ends_with('\n')
}

fn marks(source: &Source, faults: &mut Vec<Fault>) {
    for (mark, remedy) in MARKS {
        for at in find_words(&source.code, mark) {
            faults.push(Fault::new(
                &source.path,
                source.line_1based(at),
                format!("`{mark}`: {remedy}"),
            ));
        }
    }
}

fn comments(source: &Source, faults: &mut Vec<Fault>) {
    for comment in &source.comments {
        if is_banner(comment) {
            let message = "a banner comment; delete it, or split the file where it stands";
            faults.push(Fault::new(&source.path, comment.line, message));
        }
        if let Some(mark) = open_mark(&comment.text) {
            let message = format!("{mark} without an issue; write `{mark} #123: …`, or do it");
            faults.push(Fault::new(&source.path, comment.line, message));
        }
    }
}

/// Three rule characters at either end make a banner. Doc comments are Markdown, where rules and tables are text.
fn is_banner(comment: &Comment) -> bool {
    const RULE: [char; 6] = ['=', '-', '#', '~', '─', '━'];
    let text = comment.text.trim().trim_end_matches("*/").trim_end();
    let first: Vec<char> = text.chars().take(3).collect();
    let last: Vec<char> = text.chars().rev().take(3).collect();
    let is_rule = |ends: &[char]| {
        ends.len() == 3
            && ends
                .iter()
                .all(|c| RULE.contains(c) && ends.first() == Some(c))
    };
    !comment.is_doc && (is_rule(&first) || is_rule(&last))
}

fn open_mark(text: &str) -> Option<&'static str> {
    ["TODO", "FIXME", "XXX", "HACK"]
        .into_iter()
        .find(|mark| find_words(text, mark).next().is_some() && !names_issue(text))
}

fn names_issue(text: &str) -> bool {
    text.split('#')
        .skip(1)
        .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        let source = Source::new("crates/a/src/a.rs", "a", text.to_owned());
        let mut faults = Vec::new();
        names(&source, &mut faults);
        marks(&source, &mut faults);
        comments(&source, &mut faults);
        faults
            .into_iter()
            .map(|fault| (fault.line, fault.message))
            .collect()
    }

    #[test]
    fn banners_are_rules_in_plain_comments() {
        for banner in [
            "// ====",
            "// ---- parts ----",
            "// parts ------",
            "/* ---- */",
            "// ─────",
        ] {
            assert_eq!(found(banner).len(), 1, "{banner}");
        }
        for plain in [
            "// a - b",
            "/// | a | b |\n/// |---|---|",
            "//! ====",
            "// -- so they say",
            "let a = \"// ====\";",
        ] {
            assert_eq!(found(plain), [], "{plain}");
        }
    }

    #[test]
    fn an_open_mark_names_its_issue() {
        assert_eq!(found("// TODO: later").len(), 1);
        assert_eq!(found("// TODO #12: later\nlet todo = \"TODO\";"), []);
    }

    #[test]
    fn empty_names_and_marks_are_seen() {
        let text = "struct FileManager;\nfn f() { todo!() }\n#[ignore = \"slow\"]\nfn g() { assert!(true) }";
        let lines: Vec<usize> = found(text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3, 2, 4]);
        assert_eq!(found("type Data = u8;").len(), 1);
        assert_eq!(found("impl Body for B {\n    type Data = Bytes;\n}"), []);
        assert_eq!(found("struct Managed; fn assert() { assert!(truely) }"), []);
    }
}
