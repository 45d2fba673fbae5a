//! The variables of commands.

use super::*;

fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn value<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a str> {
    let found: Vec<_> = variables
        .iter()
        .filter(|(present, _)| present == name)
        .collect();
    assert!(found.len() <= 1, "{name} appears {} times", found.len());
    found.first().map(|(_, value)| value.to_str().unwrap())
}

#[test]
fn secrets_and_injecting_variables_are_left_out() {
    let handed_in = pairs(&[
        ("PATH", "/bin"),
        ("API_KEY", "k"),
        ("BASH_ENV", "/tmp/x"),
        ("ENV", "/tmp/x"),
        ("LD_PRELOAD", "x.so"),
        ("LD_LIBRARY_PATH", "/lib"),
        ("ENVIRONMENT", "kept"),
        ("OLD_LD_X", "kept"),
    ]);
    let variables = command_environment(handed_in, &["API_KEY".into()]);
    for gone in [
        "API_KEY",
        "BASH_ENV",
        "ENV",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
    ] {
        assert_eq!(value(&variables, gone), None);
    }
    for (kept, expected) in [
        ("PATH", "/bin"),
        ("ENVIRONMENT", "kept"),
        ("OLD_LD_X", "kept"),
    ] {
        assert_eq!(value(&variables, kept), Some(expected));
    }
}

#[test]
fn pagers_prompts_and_editors_of_the_person_are_replaced() {
    let handed_in = pairs(&[
        ("PAGER", "less"),
        ("EDITOR", "code --wait"),
        ("GIT_EDITOR", "vim"),
    ]);
    let variables = command_environment(handed_in, &[]);
    assert_eq!(value(&variables, "PAGER"), Some("cat"));
    assert_eq!(value(&variables, "GIT_PAGER"), Some("cat"));
    assert_eq!(value(&variables, "GIT_TERMINAL_PROMPT"), Some("0"));
    assert_eq!(value(&variables, "EDITOR"), Some("false"));
    assert!(value(&variables, "GIT_EDITOR").unwrap().ends_with("false"));
}

#[tokio::test]
async fn a_command_may_set_a_variable_for_itself() {
    let mut spec = bash("echo $PAGER $DEED_CALL");
    spec.env = pairs(&[("PAGER", "more")]);
    let (_, printed) = run(spec).await;
    assert!(printed.out().starts_with("more "), "{}", printed.out());
    assert!(
        printed.out().trim_end().len() > "more ".len(),
        "no marker: {}",
        printed.out()
    );
}

#[tokio::test]
async fn a_host_that_is_itself_a_command_keeps_its_own_mark() {
    let outer = pairs(&[("PATH", "/usr/bin:/bin"), ("DEED_CALL", "outer.7")]);
    let spawner = Spawner::new(command_environment(outer, &[]));
    let (_, printed) = run_on(&spawner, bash("echo $DEED_CALL")).await;
    assert!(printed.out().starts_with("outer.7/"), "{}", printed.out());
}

#[tokio::test]
async fn b068_nobody_waits_for_a_terminal_or_an_editor() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = bash("read x < /dev/tty; echo code $?");
    spec.timeout = Some(Duration::from_secs(20));
    let (report, printed) = run(spec).await;
    assert_eq!(report.ending, Ending::Exited(0), "{printed:?}");
    assert!(printed.out().contains("code 1"), "{printed:?}");
    assert!(printed.err().contains("/dev/tty"), "{printed:?}");

    let commit = "git init -q . && git config user.name n && git config user.email e@example.org \
                  && git commit -q --allow-empty -m first && git commit --amend --allow-empty";
    let mut spec = within(bash(commit), Duration::from_secs(20));
    spec.cwd = folder.path().to_owned();
    let (report, printed) = run(spec).await;
    assert_eq!(report.ending, Ending::Exited(1), "{printed:?}");
    assert!(printed.err().contains("no editor here"), "{printed:?}");

    let reads_terminal = "printf '#!/bin/sh\\nread line < /dev/tty\\n' > ed && chmod +x ed \
                          && GIT_EDITOR=./ed git commit --amend --allow-empty";
    let mut spec = within(bash(reads_terminal), Duration::from_secs(20));
    spec.cwd = folder.path().to_owned();
    let (report, printed) = run(spec).await;
    assert_eq!(report.ending, Ending::Exited(1), "{printed:?}");
    assert!(printed.err().contains("/dev/tty"), "{printed:?}");
}
