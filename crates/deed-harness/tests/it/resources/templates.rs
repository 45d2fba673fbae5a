use deed_harness::Resources;

use super::Folders;

/// Expands a command with a template `t` of this text.
fn expanded(template: &str, command: &str) -> Option<String> {
    let folders = Folders::new();
    folders.put("home/deed/prompts/t.md", template);
    let resources = folders.load();
    assert_eq!(resources.diagnostics, []);
    resources.expand(command).unwrap().map(|one| one.text)
}

#[track_caller]
fn assert_expands(template: &str, command: &str, expected: &str) {
    assert_eq!(
        expanded(template, command).as_deref(),
        Some(expected),
        "{command:?}"
    );
}

#[test]
fn arguments_take_the_places_of_their_marks() {
    let all = "/t one \"two three\" four";
    for (template, expected) in [
        ("$1|$2|$3|$4", "one|two three|four|"),
        ("$0 $10", " "),
        ("$1x $$1 \\$1", "onex $one \\one"),
        ("$@", "one two three four"),
        ("$ARGUMENTS", "one two three four"),
        ("${2:-d} ${4:-no fourth} ${4:-}", "two three no fourth "),
        (
            "${@:-none} ${ARGUMENTS:-none}",
            "one two three four one two three four",
        ),
        (
            "${@:2}|${@:2:1}|${@:9}|${@:0}",
            "two three four|two three||one two three four",
        ),
        (
            "${1} ${@} ${x:-y} ${@:x} $x $ ${",
            "${1} ${@} ${x:-y} ${@:x} $x $ ${",
        ),
        ("costs 5$", "costs 5$"),
        ("$99999999999999999999999", ""),
        ("no marks", "no marks"),
    ] {
        assert_expands(template, all, expected);
    }
    assert_expands("[$1] [${@:-none}] [${1:-$2}]", "/t", "[] [none] [$2]");
}

#[test]
fn what_arguments_say_is_not_expanded_again() {
    assert_expands("$1 $2", "/t '$2' '$ARGUMENTS'", "$2 $ARGUMENTS");
}

#[test]
fn quotes_work_as_people_expect_and_apostrophes_stay() {
    for (typed, expected) in [
        ("a \"b c\" d", "[a][b c][d]"),
        ("it's fine", "[it's][fine][]"),
        ("'a b' \"x\\\"y\" 'un closed", "[a b][x\"y]['un]"),
        ("\"\" x", "[][x][]"),
        ("\"a\\nb\"", "[a\\nb][][]"),
        ("a\"b c\"", "[a\"b][c\"][]"),
        ("\"a\"b c", "[ab][c][]"),
        ("a\nb\tc", "[a][b][c]"),
        ("a\\ b", "[a\\][b][]"),
        ("\u{3000}wide\u{3000}blank", "[wide][blank][]"),
        ("\"", "[\"][][]"),
    ] {
        assert_expands("[$1][$2][$3]", &format!("/t {typed}"), expected);
    }
    assert_expands("[$1][$2]", "/t\na b", "[a][b]");
}

#[test]
fn other_text_is_left_alone() {
    for text in [
        "",
        "/",
        "t",
        " /t x",
        "/T",
        "/etc/passwd is odd",
        "/tt",
        "say /t",
    ] {
        assert_eq!(expanded("x", text), None, "{text:?}");
    }
}

#[test]
fn templates_are_described_by_their_head_or_their_first_line() {
    let folders = Folders::new();
    let head = "---\ndescription: Reviews\nargument-hint: [focus]\n---\n\nReview $1\n";
    folders
        .put("home/deed/prompts/review.md", head)
        .put(
            "home/deed/prompts/plain.md",
            "\n  A first line that is too long to be shown whole in a list of commands\nmore\n",
        )
        .put("home/deed/prompts/notes.txt", "no template")
        .put("home/deed/prompts/deep/x.md", "not looked at");
    let resources = folders.load();
    let listed = serde_json::to_string_pretty(&resources.commands()).unwrap();
    insta::assert_snapshot!(folders.steady(&listed), @r#"
    [
      {
        "name": "plain",
        "description": "A first line that is too long to be shown whole in a list of…",
        "source": "prompt",
        "sourceInfo": {
          "path": "ROOT/home/deed/prompts/plain.md",
          "source": "local",
          "scope": "user",
          "origin": "top-level",
          "baseDir": "ROOT/home/deed/prompts"
        }
      },
      {
        "name": "review",
        "description": "Reviews",
        "source": "prompt",
        "argumentHint": "[focus]",
        "sourceInfo": {
          "path": "ROOT/home/deed/prompts/review.md",
          "source": "local",
          "scope": "user",
          "origin": "top-level",
          "baseDir": "ROOT/home/deed/prompts"
        }
      }
    ]
    "#);
    assert_eq!(resources.diagnostics, []);
}

#[test]
fn the_run_goes_before_the_project_and_that_before_the_user() {
    let folders = Folders::new();
    folders
        .put("home/deed/prompts/a.md", "user a")
        .put("home/deed/prompts/b.md", "user b")
        .put("work/app/.deed/prompts/a.md", "project a")
        .put("work/app/.deed/prompts/c.md", "project c")
        .put("work/one/c.md", "given c");
    let mut places = folders.places();
    places.prompt_paths = vec![folders.path("work/one/c.md"), folders.path("work/gone")];
    let texts = |resources: &Resources| {
        let texts = resources.prompts.iter().map(|one| one.text.clone());
        texts.collect::<Vec<_>>()
    };
    let resources = Resources::load(&places);
    assert_eq!(texts(&resources), ["given c", "project a", "user b"]);
    assert_eq!(
        folders.diagnostics(&resources),
        [
            "ROOT/work/gone: there is no such file or folder",
            "ROOT/work/app/.deed/prompts/c.md: ROOT/work/one/c.md has the name `/c` already; this \
             one is left out",
            "ROOT/home/deed/prompts/a.md: ROOT/work/app/.deed/prompts/a.md has the name `/a` \
             already; this one is left out",
        ]
    );
    places.project_is_trusted = false;
    assert_eq!(
        texts(&Resources::load(&places)),
        ["given c", "user a", "user b"]
    );
    places.discovers_prompts = false;
    assert_eq!(texts(&Resources::load(&places)), ["given c"]);
}

#[test]
fn broken_templates_are_told_of_and_the_others_work() {
    let folders = Folders::new();
    folders
        .put("home/deed/prompts/a b.md", "x")
        .put("home/deed/prompts/bytes.md", b"\xff")
        .put("home/deed/prompts/fine.md", "fine")
        .put("home/deed/prompts/huge.md", "x".repeat(300_000));
    let resources = folders.load();
    assert_eq!(resources.prompts.len(), 1);
    assert_eq!(
        folders.diagnostics(&resources),
        [
            "ROOT/home/deed/prompts/a b.md: \"a b\" cannot be the name of a command: at most 64 \
             characters, none of them blank",
            "ROOT/home/deed/prompts/bytes.md: it is not UTF-8; save it as UTF-8",
            "ROOT/home/deed/prompts/huge.md: it has more than 262144 bytes; make it smaller",
        ]
    );
}
