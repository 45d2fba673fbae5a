//! What a reading says.

use deed_guard::shell::{ShellReading, read_command};

#[test]
fn a_compound_command_is_read_part_by_part() {
    insta::assert_snapshot!(shown("cd 'a b' && git diff --output=x HEAD~1 2>&1 | tee -a log"), @r#"
    opaque: None
    "cd 'a b'": ["cd", "a b"], complete true
    "git diff --output=x HEAD~1": ["git", "diff", "--output=x", "HEAD~1"], complete true
      hazards ["git --output"]
      Redirect { target: "1", writes: false, harmless: true }
    "tee -a log": ["tee", "-a", "log"], complete true
      hazards ["tee"]
    "#);
}

#[test]
fn a_wrapper_shows_what_it_starts() {
    insta::assert_snapshot!(shown("# as root\nenv A=1 timeout -k 5 10 bash -c 'rm x; ls' > /tmp/out"), @r#"
    opaque: None
    "env A=1 timeout -k 5 10 bash -c 'rm x; ls'": ["env", "A=1", "timeout", "-k", "5", "10", "bash", "-c", "rm x; ls"], complete true
      env starts [["timeout", "-k", "5", "10", "bash", "-c", "rm x; ls"], ["10", "bash", "-c", "rm x; ls"], ["bash", "-c", "rm x; ls"], ["rm", "x"], ["ls"]]
      Redirect { target: "/tmp/out", writes: true, harmless: false }
    "#);
}

#[test]
fn unclear_text_keeps_what_is_clear() {
    insta::assert_snapshot!(shown("for f in *; do rm -r \"$f\" x; done; ls"), @r#"
    opaque: Some("it has a for statement")
    "rm -r \"$f\" x": ["rm", "-r"], complete false
    "ls": ["ls"], complete true
    "#);
}

#[test]
fn a_text_for_another_shell_is_not_read() {
    insta::assert_debug_snapshot!(ShellReading::unread("Get-Item 'C:\\x' | rm", "it is for PowerShell"), @r#"
    ShellReading {
        segments: [],
        opaque: Some(
            "it is for PowerShell",
        ),
        words_of_text: [
            "Get-Item",
            "C:x",
            "rm",
        ],
    }
    "#);
}

/// A reading, a line a fact.
fn shown(text: &str) -> String {
    let reading = read_command(text);
    let mut lines = vec![format!("opaque: {:?}", reading.opaque)];
    for segment in &reading.segments {
        lines.push(format!(
            "{:?}: {:?}, complete {}",
            segment.text, segment.argv, segment.complete
        ));
        if let Some(wrapper) = &segment.wrapper {
            lines.push(format!("  {wrapper} starts {:?}", segment.inner));
        }
        if !segment.hazards.is_empty() {
            lines.push(format!("  hazards {:?}", segment.hazards));
        }
        for redirect in &segment.redirects {
            lines.push(format!("  {redirect:?}"));
        }
    }
    lines.join("\n")
}
