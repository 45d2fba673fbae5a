//! Bash itself is asked whether what counts as certain is so.

use std::process::{Command, Stdio};

use deed_guard::shell::{Segment, read_command};
use proptest::prelude::*;

/// What bash makes of the calls of `p`, in a folder with files that wildcards would find.
fn words_by_bash(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "ab", "-a"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let script = format!("p() {{ printf '%s\\0' p \"$@\"; }}\n{text}");
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-c", &script])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let reading = read_command(text);
    let is_call = |segment: &Segment| segment.argv[0] == "p" && segment.redirects.is_empty();
    if reading.opaque.is_none() && reading.segments.iter().all(is_call) {
        let words = reading
            .segments
            .into_iter()
            .flat_map(|segment| segment.argv);
        let words: Vec<_> = words.collect();
        prop_assert_eq!(words, words_by_bash(text));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn certain_words_are_the_words_that_bash_sees(
        text in r#"p x( |[ab{}~=:,!#*?\[\]'"\\$^%@+./1\n-]){0,12}"#
    ) {
        check(&text)?;
    }

    #[test]
    fn certain_words_of_mostly_plain_text_are_those_of_bash(
        text in r#"p x( ?('[a*$ ]{0,3}'|"[a* ]{0,3}"|[a=:~.{}-]{1,3}|\{\}|a~|\\|\n#?|; ?p |&& p |\n+p )){0,6}"#
    ) {
        check(&text)?;
    }
}
