//! What the head of a file may be, seen through the description of a template.

use super::Folders;

/// Reads a template with this head; its description, or what was wrong.
fn description(head: &str) -> Result<String, String> {
    let folders = Folders::new();
    folders.put("home/deed/prompts/t.md", format!("---\n{head}\n---\nbody"));
    let resources = folders.load();
    match resources.prompts.first() {
        Some(template) => {
            assert_eq!(resources.diagnostics, []);
            Ok(template.description.clone())
        }
        None => {
            let mut faults = folders.diagnostics(&resources);
            assert_eq!(faults.len(), 1);
            let fault = faults.remove(0);
            let start = "ROOT/home/deed/prompts/t.md: it is left out: ";
            Err(fault.strip_prefix(start).unwrap().to_owned())
        }
    }
}

#[test]
fn values_are_read_as_people_write_them() {
    for (head, expected) in [
        ("description: plain words", "plain words"),
        ("description:   wide   ", "wide"),
        ("description: words # and a comment", "words"),
        ("description: C# and #hash", "C# and"),
        (
            "description: Use when: reading, or: writing",
            "Use when: reading, or: writing",
        ),
        (
            "description: it goes\n  on here\n  and here",
            "it goes on here and here",
        ),
        (
            "description: \"quoted: \\\"x\\\" \\u00e9\" # comment",
            "quoted: \"x\" é",
        ),
        ("description: 'it''s'", "it's"),
        ("description: |\n  one\n    two\n\n  three", "one two three"),
        ("description: >-\n  folded\n  text\n", "folded text"),
        ("description: >\n    deep\n  less deep", "deep less deep"),
        ("# first\n\ndescription: x", "x"),
        ("allowed-tools: [read, bash]\ndescription: x", "x"),
        ("allowed-tools:\n  - read\n  - bash\ndescription: x", "x"),
        ("allowed-tools:\n- read\n- bash\ndescription: x", "x"),
        ("tools: [\n  read,\n]\ndescription: x", "x"),
        (
            "metadata:\n  version: \"1\"\n  nested:\n    a: b\ndescription: x",
            "x",
        ),
        ("version: 1.0\ndescription: x\r", "x"),
        ("name: n", "body"),
        ("description:", "body"),
    ] {
        assert_eq!(description(head).as_deref(), Ok(expected), "{head:?}");
    }
}

#[test]
fn anything_else_is_named_with_its_line() {
    for (head, expected) in [
        (
            "description: x\nno field",
            "line 3: this is no `key: value`",
        ),
        ("description:x", "line 2: this is no `key: value`"),
        ("  indented: x", "line 2: this is no `key: value`"),
        ("a: 1\nb: 2\na: 3", "line 4: `a` stands twice"),
        (
            "description: \"open",
            "line 2: quoted text must end on its line, with nothing behind it",
        ),
        (
            "description: 'x' y",
            "line 2: quoted text must end on its line, with nothing behind it",
        ),
        (
            "description: \"\\q\"",
            "line 2: `\\q` is no escape; write `\\\\` for a backslash",
        ),
        (
            "description: \"\\ud800\"",
            "line 2: `\\u` is no escape; write `\\\\` for a backslash",
        ),
        (
            "description: *x",
            "line 2: a value that begins with `*` must be quoted",
        ),
        ("description: [x]", "line 2: `description` must be text"),
        (
            "a: 1\ndescription:\n  x: y",
            "line 3: `description` must be text",
        ),
        ("description: |3\n   x", "line 2: this is no `key: value`"),
    ] {
        assert_eq!(description(head), Err(expected.to_owned()), "{head:?}");
    }
}

#[test]
fn a_head_that_does_not_end_is_named() {
    let folders = Folders::new();
    folders.put("home/deed/prompts/t.md", "---\ndescription: x\n\nbody");
    assert_eq!(
        folders.diagnostics(&folders.load()),
        [
            "ROOT/home/deed/prompts/t.md: it is left out: line 1: the head of the file does not \
             end; close it with a line `---`"
        ]
    );
}
