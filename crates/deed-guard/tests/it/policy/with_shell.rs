//! What needs the real reading of shell text.

use deed_guard::policy::{PermissionMode, Tier};

use super::{ALLOW, ASK, DENY, decide, in_mode, rules, sample, verdict};

#[test]
fn b128_a_rule_does_not_cover_a_compound_command() {
    let policy = rules(&[], &[], &["Bash(git add *)"]);
    for command in [
        "git add x && git push",
        "git add x; git push",
        "git add x | git push",
        "git add x\ngit push",
        "git add $(git push)",
        "git add `git push`",
        "git add x & git push",
    ] {
        assert_eq!(
            verdict(&policy, &format!("Bash({command})")),
            ASK,
            "{command}"
        );
    }
    assert_eq!(verdict(&policy, "Bash(git add x && git add y)"), ALLOW);
    assert_eq!(verdict(&policy, "Bash(git add 'a b')"), ALLOW);
}

#[test]
fn b130_what_the_shell_sees_is_what_the_rules_see() {
    let policy = rules(&["Bash(git push *)"], &[], &["Bash(git *)", "Bash(cat *)"]);
    assert_ne!(verdict(&policy, "Bash(gi\\\nt push)"), ALLOW);
    assert_eq!(verdict(&policy, "Bash(git 'pu'sh)"), DENY);
    assert_ne!(verdict(&policy, "Bash(cat <<E\ngit push\nE\n)"), ALLOW);
}

#[test]
fn b131_where_the_command_goes_elsewhere_a_redirect_may_lead_anywhere() {
    let allow = [
        "Bash(cd *)",
        "Bash(pushd *)",
        "Bash(echo *)",
        "Bash(command cd *)",
    ];
    let paths = ["Write(./**)", "Read(./**)"];
    let policy = rules(&[], &[], &[&allow[..], &paths].concat());
    for (command, expected) in [
        ("cd /etc && echo x > passwd", ASK),
        ("pushd /etc; echo x >> passwd", ASK),
        ("command cd /etc && echo x > passwd", ASK),
        ("cd /etc && echo < shadow", ASK),
        ("cd /etc && echo x > /proj/a", ALLOW),
        ("cd /etc && echo x > /dev/null", ALLOW),
        ("echo x > passwd", ALLOW),
    ] {
        let call = format!("Bash({command})");
        assert_eq!(verdict(&policy, &call), expected, "{command}");
    }
}

#[test]
fn a_command_that_names_the_folder_of_the_rules_is_never_settled_by_silence() {
    let allow = ["Bash(cp *)", "Bash(rm *)", "Bash(ls *)"];
    let policy = rules(&[], &[], &allow);
    let bypass = in_mode(PermissionMode::Bypass, &[], &[], &["Bash"]);
    for command in [
        "cp policy.json /home/ann/.config/deed",
        "rm -rf ~/.config/deed/",
        "rm -rf --target=/home/ann/.config/deed",
        "cp x ../home/ann/.config/deed/policy.json",
    ] {
        let call = format!("Bash({command})");
        assert_eq!(verdict(&policy, &call), ASK, "{command}");
        assert_eq!(verdict(&bypass, &call), DENY, "{command}");
    }
    for command in ["ls /home/ann", "ls .", "ls /home/ann/.config", "ls /"] {
        assert_eq!(
            verdict(&policy, &format!("Bash({command})")),
            ALLOW,
            "{command}"
        );
    }
}

#[test]
fn b131_a_redirect_is_checked_as_a_path() {
    let policy = rules(
        &["Read(~/.ssh/**)", "Write(./locked/**)"],
        &["Write(./asked)"],
        &["Bash(sort *)", "Write(./out/**)", "Read(./in/**)"],
    );
    let cases = [
        ("sort < /home/ann/.ssh/k", DENY),
        ("sort a > locked/b", DENY),
        ("sort a > /home/ann/.config/deed/policy.json", DENY),
        ("sort a > ../b", ASK),
        ("sort a >| b", ASK),
        ("sort a > asked", ASK),
        ("sort a > out/b", ALLOW),
        ("sort a >> ./out/b", ALLOW),
        ("sort < in/a", ALLOW),
        ("sort a > /dev/null 2>&1", ALLOW),
        ("sort a > out/../b", ASK),
    ];
    for (command, expected) in cases {
        assert_eq!(
            verdict(&policy, &format!("Bash({command})")),
            expected,
            "{command}"
        );
    }
    for command in ["sort < ~/.ssh/k", "sort a > ~/.config/deed/policy.json"] {
        let call = format!("Bash({command})");
        assert_ne!(verdict(&policy, &call), ALLOW, "{command}");
        let bypass = in_mode(PermissionMode::Bypass, &["Read(~/.ssh/**)"], &[], &["Bash"]);
        assert_eq!(verdict(&bypass, &call), DENY, "{command}");
    }
    let home = rules(&[], &[], &["Bash(sort *)", "Write(~/**)"]);
    assert_eq!(
        verdict(&home, "Bash(sort a > '~/b')"),
        ASK,
        "a quoted tilde is no home"
    );
    let everything = rules(&["Write(./locked/**)"], &[], &["Bash"]);
    assert_eq!(verdict(&everything, "Bash(sort a > b)"), ALLOW);
    assert_eq!(verdict(&everything, "Bash(sort a > locked/b)"), DENY);
}

#[test]
fn a13_each_part_of_a_command_has_its_own_verdict() {
    let policy = rules(&["Bash(shutdown *)"], &[], &["Bash(cargo test *)"]);
    let decision = decide(&policy, "Bash(cargo test; rm -rf x)");
    assert_eq!(decision.verdict, ASK);
    let parts: Vec<_> = decision
        .parts
        .iter()
        .map(|part| (part.text.as_str(), part.verdict))
        .collect();
    assert_eq!(parts, [("cargo test", ALLOW), ("rm -rf x", ASK)]);
    assert!(
        decision.reason.starts_with("`rm -rf x`: no rule allows"),
        "{}",
        decision.reason
    );
    let decision = decide(&policy, "Bash(cargo test && shutdown now)");
    assert_eq!(decision.verdict, DENY);
    assert_eq!(decision.parts[0].verdict, ALLOW);
}

#[test]
fn a14_a_hidden_option_that_runs_something_asks() {
    let policy = rules(&[], &[], &["Bash(find *)"]);
    assert_eq!(verdict(&policy, "Bash(find . -exe\\c rm {} +)"), ASK);
    assert_eq!(verdict(&policy, "Bash(find . -name x)"), ALLOW);
}

#[test]
fn a16_options_of_git_that_write_or_run_ask() {
    let policy = rules(&[], &[], &["Bash(git diff *)", "Bash(git log *)"]);
    for command in [
        "git diff --output=/tmp/x",
        "git diff --output /tmp/x",
        "git -c core.pager=cmd log",
        "git diff --ext-diff",
    ] {
        assert_eq!(
            verdict(&policy, &format!("Bash({command})")),
            ASK,
            "{command}"
        );
    }
    assert_eq!(verdict(&policy, "Bash(git diff HEAD)"), ALLOW);
}

#[test]
fn a17_a_denied_command_in_a_wrapper_is_denied() {
    let policy = rules(&["Bash(sudo *)"], &[], &["Bash"]);
    for command in [
        "env X=1 sudo id",
        "time sudo id",
        "nohup sudo id",
        "ls && sudo id",
    ] {
        assert_eq!(
            verdict(&policy, &format!("Bash({command})")),
            DENY,
            "{command}"
        );
    }
    assert_ne!(verdict(&policy, "Bash(coproc sudo id)"), ALLOW);
}

#[test]
fn a_wrapper_is_allowed_only_word_for_word() {
    let policy = rules(&[], &[], &["Bash(ls *)", "Bash(env *)"]);
    assert_eq!(verdict(&policy, "Bash(env X=1 ls)"), ASK);
    assert_eq!(verdict(&policy, "Bash(xargs ls)"), ASK);
}

#[test]
fn a_rule_for_always_is_the_command_to_the_letter() {
    let policy = rules(&[], &[], &[]);
    let always = |command: &str| {
        let call = sample(&format!("Bash({command})"));
        policy.rule_for_always(&call.request())
    };
    let quoted = always("grep -n 'a b*' src").unwrap();
    let stored = policy.with_rules(Tier::Stored, [&quoted]).unwrap();
    assert_eq!(verdict(&stored, "Bash(grep -n 'a b*' src)"), ALLOW);
    assert_eq!(verdict(&stored, "Bash(grep -n 'a bc' src)"), ASK);
    for command in [
        "python x.py",
        "env ls",
        "sudo ls",
        "ls > x",
        "a && b",
        "echo $(id)",
        "bash x",
    ] {
        assert_eq!(always(command), None, "{command}");
    }
}
