//! The text of a command rule.

use deed_guard::shell::{CommandPattern, PatternError};

use super::{is_allowed, rule};

#[test]
fn words_are_matched_whole() {
    for (rule, text, want) in [
        ("git diff", "git diff", true),
        ("git diff", "git diff x", false),
        ("git diff *", "git diff", true),
        ("git diff *", "git diff x y", true),
        ("git diff *", "git difftool", false),
        ("git d* x", "git diff x", true),
        ("git d* x", "git x x", false),
        ("npm run test:*:x", "npm run test:a:x", true),
        ("cargo * --locked", "cargo test --locked", true),
        ("cargo * --locked", "cargo a b --locked", false),
        ("echo '*'", "echo '*'", true),
        ("echo '*'", "echo a", false),
        ("echo \"a b\"c", "echo 'a bc'", true),
        ("echo ''", "echo ''", true),
        ("echo a*b*c", "echo abbbc", true),
        ("echo a*b*c", "echo abbb", false),
        ("*", "ls x", true),
    ] {
        assert_eq!(is_allowed(&[rule], text), want, "{rule} on {text}");
    }
    assert_eq!(rule("echo  'a' *").as_str(), "echo  'a' *");
}

#[test]
fn a_rule_that_could_never_match_is_refused_with_a_remedy() {
    let mut messages = Vec::new();
    for text in [
        "",
        "  ",
        "echo 'a",
        "a; b",
        "echo $x",
        r"find -name \*",
        "git add:*",
    ] {
        messages.push(CommandPattern::parse(text).unwrap_err().to_string());
    }
    insta::assert_snapshot!(messages.join("\n"), @r#"
    the rule names no command; write `*` for all of them
    the rule names no command; write `*` for all of them
    the quote ' in "echo 'a" is not closed
    ';' in "a; b" cannot match a word as it stands; a rule is one command, so put a word that holds it in single quotes
    '$' in "echo $x" cannot match a word as it stands; a rule is one command, so put a word that holds it in single quotes
    '\\' in "find -name \\*" cannot match a word as it stands; a rule is one command, so put a word that holds it in single quotes
    "git add:*" ends in `:*`, which would match a colon; write ` *` for any further words
    "#);
    assert!(matches!(
        CommandPattern::parse("a | b"),
        Err(PatternError::Special { character: '|', .. })
    ));
}
