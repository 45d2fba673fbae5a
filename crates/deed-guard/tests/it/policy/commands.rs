use std::path::PathBuf;

use deed_agent::{Access, EffectPlan};
use deed_guard::policy::{PermissionMode, SampleCall};
use deed_protocol::SourceInfo;
use serde_json::json;

use super::{ALLOW, ASK, DENY, decide, extension_call, in_mode, rules, verdict};

#[test]
fn a_rule_covers_whole_words_of_a_command() {
    let policy = rules(
        &["Bash(sudo *)"],
        &["Bash(git push *)"],
        &["Bash(cargo test *)", "Bash(git push *)"],
    );
    assert_eq!(verdict(&policy, "Bash(cargo test -q)"), ALLOW);
    assert_eq!(verdict(&policy, "Bash(cargo test)"), ALLOW);
    assert_eq!(verdict(&policy, "Bash(cargo tests)"), ASK);
    assert_eq!(verdict(&policy, "Bash(git push origin)"), ASK);
    assert_eq!(verdict(&policy, "Bash(sudo id)"), DENY);
}

#[test]
fn what_cannot_be_read_asks_unless_every_command_is_allowed() {
    let policy = rules(&["Bash(sudo *)"], &[], &["Bash(echo *)"]);
    let decision = decide(&policy, "Bash(echo $(date))");
    assert_eq!(decision.verdict, ASK);
    assert!(
        decision.reason.contains("cannot be read with certainty"),
        "{}",
        decision.reason
    );
    let everything = rules(&["Bash(sudo *)"], &[], &["Bash"]);
    assert_eq!(verdict(&everything, "Bash(echo $(date))"), ALLOW);
}

#[test]
fn a_denied_word_in_an_unclear_text_asks_with_a_warning_and_is_refused_where_nobody_is_asked() {
    let deny = ["Bash(sudo *)"];
    let call = "Bash($RUN sudo id)";
    let decision = decide(&rules(&deny, &[], &["Bash"]), call);
    assert_eq!(decision.verdict, ASK);
    assert_eq!(decision.warnings.len(), 1);
    assert!(decision.warnings[0].starts_with("`Bash(sudo *)` (policy.json:1) may deny"));
    for mode in [PermissionMode::Bypass, PermissionMode::DontAsk] {
        assert_eq!(
            verdict(&in_mode(mode, &deny, &[], &["Bash"]), call),
            DENY,
            "{mode}"
        );
        let harmless = "Bash(echo $(date))";
        assert_eq!(
            verdict(&in_mode(mode, &deny, &[], &["Bash"]), harmless),
            ALLOW,
            "{mode}"
        );
    }
}

#[test]
fn a_word_to_be_asked_in_an_unclear_text_asks() {
    let policy = rules(&[], &["Bash(git push *)"], &["Bash"]);
    assert_eq!(verdict(&policy, "Bash($RUN git push)"), ASK);
    assert_eq!(verdict(&policy, "Bash($RUN make)"), ALLOW);
}

#[test]
fn a_word_that_names_a_denied_file_asks() {
    let policy = rules(
        &["Read(~/.ssh/**)", "Read(./secret.txt)"],
        &[],
        &["Bash(cat *)"],
    );
    for call in [
        "Bash(cat ~/.ssh/id_rsa)",
        "Bash(cat /home/ann/.ssh/id_rsa)",
        "Bash(cat secret.txt)",
        "Bash(cat a ../proj/secret.txt)",
        "Bash(cat --from=secret.txt)",
        "Bash(cat @secret.txt)",
    ] {
        let decision = decide(&policy, call);
        assert_eq!(decision.verdict, ASK, "{call}");
        assert_eq!(decision.warnings.len(), 1, "{call}");
    }
    assert_eq!(verdict(&policy, "Bash(cat README.md)"), ALLOW);
    let bare = rules(&["Read"], &[], &["Bash(cat *)"]);
    assert_eq!(
        verdict(&bare, "Bash(cat README.md)"),
        ALLOW,
        "a ban of the tools is none of the shell"
    );
}

#[test]
fn a_command_that_names_files_of_deed_is_never_silent() {
    let call = "Bash(cp x ~/.config/deed/policy.json)";
    assert_eq!(verdict(&rules(&[], &[], &["Bash"]), call), ASK);
    assert_eq!(
        verdict(&in_mode(PermissionMode::Bypass, &[], &[], &["Bash"]), call),
        DENY
    );
}

#[test]
fn a_text_for_another_shell_is_not_read_as_bash() {
    let policy = rules(&["Bash(Remove-Item *)"], &[], &["Bash(echo *)"]);
    let call = |command: &str| {
        let access = Access::Command {
            command: command.to_owned(),
            cwd: PathBuf::from("/proj"),
        };
        SampleCall {
            tool: "powershell".to_owned(),
            source: SourceInfo::builtin("powershell"),
            plan: EffectPlan::new(access, "Bash", command),
            args: json!({ "command": command }),
        }
    };
    assert_eq!(policy.decide(&call("echo hi").request()).verdict, ASK);
    assert_eq!(
        policy
            .decide(&call("Remove-Item x").request())
            .warnings
            .len(),
        1
    );
    assert_eq!(policy.rule_for_always(&call("echo hi").request()), None);
}

#[test]
fn rules_that_deny_commands_hold_for_every_tool_that_runs_them_and_those_that_allow_do_not() {
    let policy = rules(&["Bash(rm *)"], &[], &["Bash(ls *)"]);
    let call = |command: &str| {
        let access = Access::Command {
            command: command.to_owned(),
            cwd: PathBuf::from("/proj"),
        };
        extension_call(
            "remote",
            "/ext/remote.ts",
            access,
            json!({ "command": command }),
        )
    };
    assert_eq!(policy.decide(&call("rm x").request()).verdict, DENY);
    assert_eq!(policy.decide(&call("ls x").request()).verdict, ASK);
}

#[test]
fn a_command_is_shown_as_its_parts() {
    let decision = decide(
        &rules(&[], &[], &["Bash(cargo test *)"]),
        "Bash(cargo test -q)",
    );
    assert_eq!(decision.parts.len(), 1);
    assert_eq!(decision.parts[0].text, "cargo test -q");
    assert_eq!(
        decision.parts[0].basis.id(),
        "user:permissions.allow[0] Bash(cargo test *)"
    );
    assert!(decide(&rules(&[], &[], &[]), "Read(a)").parts.is_empty());
}

#[test]
fn a_text_without_a_command_asks() {
    assert_eq!(
        verdict(&rules(&[], &[], &["Bash(ls *)"]), "Bash(\u{2003} x)"),
        ASK
    );
}
