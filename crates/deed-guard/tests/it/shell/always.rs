//! The rule that "always" stores.

use deed_guard::shell::{CommandPattern, Denial, read_command};
use proptest::prelude::*;

use super::rule;

fn stored(text: &str) -> Option<String> {
    CommandPattern::for_always(&read_command(text))
}

#[test]
fn only_a_plain_command_can_be_stored() {
    assert_eq!(stored("cargo test -q").as_deref(), Some("cargo test -q"));
    assert_eq!(
        stored("echo 'it*' \"it's\"").as_deref(),
        Some(r#"echo 'it*' 'it'"'"'s'"#)
    );
    for text in [
        "ls; ls",
        "ls | wc",
        "env ls",
        "python x.py",
        "bash x",
        "sudo ls",
        "find . -delete",
        "find . -exec ls",
        "git -c a=b log",
        "ls > x",
        "ls > /dev/null",
        "echo $x",
        "X=1 ls",
        "",
    ] {
        assert_eq!(stored(text), None, "{text}");
    }
}

/// Writes a word so that bash reads exactly it; by other means than the product.
fn in_quotes(word: &str) -> String {
    let pieces = word.split('\'').map(|piece| format!("'{piece}'"));
    pieces.collect::<Vec<_>>().join("\"'\"")
}

proptest! {
    #[test]
    fn b143_a_stored_rule_matches_its_call_and_no_other_name(
        name in "[a-z]{1,3}[#*'\" ?:.a-z]{0,4}",
        words in prop::collection::vec("[a-zé'\"#*?\\[\\]$ \\\\\n;:~-]{0,8}", 0..5),
        other in "[a-z#* ]{1,6}",
    ) {
        let argv: Vec<&str> = [&name].into_iter().chain(&words).map(String::as_str).collect();
        let text: Vec<String> = argv.iter().map(|word| in_quotes(word)).collect();
        let reading = read_command(&text.join(" "));
        let segment = &reading.segments[0];
        prop_assert_eq!(&segment.argv, &argv);
        prop_assume!(segment.wrapper.is_none() && segment.hazards.is_empty());

        let stored = CommandPattern::for_always(&reading).unwrap();
        let stored = rule(&stored);
        prop_assert!(stored.allows(segment));
        prop_assert_eq!(stored.denies(&reading), Denial::Plain(0));

        prop_assume!(other != name);
        let mut text = text;
        text[0] = in_quotes(&other);
        let reading = read_command(&text.join(" "));
        prop_assert!(!stored.allows(&reading.segments[0]));
    }
}
