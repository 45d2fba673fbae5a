use deed_agent::Access;
use deed_guard::policy::{Basis, Ground, PermissionMode, Policy, PolicyInput, PolicyText, Tier};
use serde_json::json;

use super::{
    ALLOW, ASK, DENY, decide, extension_call, in_mode, path_call, permissions, rules, sample,
    verdict,
};

#[test]
fn a_path_pattern_means_the_workspace_home_root_or_anywhere() {
    let cases = [
        ("Write(./src/**)", "Write(src/a/b.rs)", ALLOW),
        ("Write(./src/**)", "Write(/proj/src/b.rs)", ALLOW),
        ("Write(src/*.rs)", "Write(./src/b.rs)", ALLOW),
        ("Write(src/*.rs)", "Write(src/a/b.rs)", ASK),
        ("Write(./src/**)", "Write(/other/src/b.rs)", ASK),
        ("Write(./src/**)", "Write(src/../Cargo.toml)", ASK),
        ("Write(~/notes/**)", "Write(/home/ann/notes/a)", ALLOW),
        ("Write(~/notes/**)", "Write(~/notes/a)", ALLOW),
        ("Write(/etc/hosts)", "Write(/etc/hosts)", ALLOW),
        ("Write(/etc/hosts)", "Write(/etc/hosts2)", ASK),
        ("Write(**/*.md)", "Write(/any/where/a.md)", ALLOW),
        ("Write(./docs/)", "Write(docs/a/b)", ALLOW),
        ("Write(./docs)", "Write(docs/a)", ASK),
        ("Write(./)", "Write(docs/a)", ALLOW),
        ("Write(.)", "Write(docs/a)", ASK),
        ("Write(/)", "Write(/etc/x)", ALLOW),
        ("Write(/**)", "Write(/etc/x)", ALLOW),
        ("Write(**)", "Write(/etc/x)", ALLOW),
        ("Write(~/)", "Write(~/x/y)", ALLOW),
        ("Write(~)", "Write(~/x)", ASK),
        ("Write(./{a,b}/[xy].rs)", "Write(b/y.rs)", ALLOW),
        ("Write(./a\\*b)", "Write(a*b)", ALLOW),
        ("Write(./a\\*b)", "Write(axb)", ASK),
        ("Write", "Write(/etc/passwd)", ALLOW),
        ("Read(./**)", "Write(src/a)", ASK),
    ];
    for (rule, call, expected) in cases {
        assert_eq!(
            verdict(&rules(&[], &[], &[rule]), call),
            expected,
            "{rule} on {call}"
        );
    }
}

#[test]
fn a_workspace_folder_with_glob_characters_stands_for_itself() {
    let ground = Ground {
        workspace: vec!["/w[1]/{a}".into(), "/second".into()],
        ..Ground::default()
    };
    let text = permissions(&[], &[], &["Write(./*.rs)"]).to_string();
    let policy = Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text)],
        ground,
        mode: None,
    })
    .unwrap();
    assert_eq!(verdict(&policy, "Write(/w[1]/{a}/x.rs)"), ALLOW);
    assert_eq!(verdict(&policy, "Write(/second/x.rs)"), ALLOW);
    assert_eq!(verdict(&policy, "Write(/w1/a/x.rs)"), ASK);
}

#[test]
fn a_denied_folder_takes_all_below_it_along() {
    let policy = rules(&["Read(~/.ssh)", "Write(.git/**)"], &[], &["Read", "Write"]);
    for call in [
        "Read(~/.ssh)",
        "Read(~/.ssh/id_rsa)",
        "Read(/home/ann/.ssh/deep/key)",
        "Read(./../home/ann/.ssh/id_rsa)",
        "Write(.git/hooks/post-commit)",
        "Write(.git)",
    ] {
        assert_eq!(verdict(&policy, call), DENY, "{call}");
    }
    assert_eq!(verdict(&policy, "Read(~/.sshx)"), ALLOW);
}

#[test]
fn b140_the_target_of_a_link_decides() {
    let policy = rules(&[], &[], &["Write(./**)", "Read(./**)"]);
    let through_link = path_call("write", "Write", "link/new.txt", "/out/new.txt");
    assert_eq!(policy.decide(&through_link.request()).verdict, ASK);
    let policy = rules(&["Write(./link/**)"], &[], &["Write"]);
    assert_eq!(
        policy.decide(&through_link.request()).verdict,
        DENY,
        "the typed path counts too"
    );
}

#[test]
fn b139_a_linked_parent_that_leads_out_is_no_edit_of_the_workspace() {
    let policy = in_mode(PermissionMode::AcceptEdits, &[], &[], &[]);
    let inside = path_call("write", "Write", "l/new.txt", "/proj/l/new.txt");
    let outside = path_call("write", "Write", "l/new.txt", "/out/new.txt");
    assert_eq!(policy.decide(&inside.request()).verdict, ALLOW);
    assert_eq!(policy.decide(&outside.request()).verdict, ASK);
}

#[test]
fn a19_a_link_to_a_key_is_denied_by_its_real_path() {
    let policy = rules(&["Read(~/.ssh/**)"], &[], &["Read(./**)"]);
    let call = path_call("read", "Read", "key", "/home/ann/.ssh/id_rsa");
    let decision = policy.decide(&call.request());
    assert_eq!(decision.verdict, DENY);
    assert_eq!(
        decision.rule_id(),
        "user:permissions.deny[0] Read(~/.ssh/**)"
    );
}

#[test]
fn every_path_of_a_call_must_be_allowed() {
    let policy = rules(&[], &[], &["Write(./a)"]);
    let mut call = sample("Write(a)");
    call.plan.access = Access::Write(vec!["/proj/a".into(), "/proj/b".into()]);
    assert_eq!(policy.decide(&call.request()).verdict, ASK);
    call.plan.access = Access::Write(Vec::new());
    assert_eq!(policy.decide(&call.request()).verdict, ASK);
}

#[test]
fn a_rule_for_a_folder_alone_is_none_for_a_search_in_it() {
    let cases = [
        ("Read(/etc)", ASK),
        ("Read(/etc/*)", ASK),
        ("Read(/etc/*/*/*)", ASK),
        ("Read(/etc/**/*.conf)", ASK),
        ("Read(/etc/ssh/**)", ALLOW),
        ("Read(/etc/**)", ALLOW),
        ("Read", ALLOW),
    ];
    for (rule, expected) in cases {
        let policy = rules(&[], &[], &[rule]);
        let search = path_call("grep", "Read", "/etc/ssh", "/etc/ssh");
        assert_eq!(policy.decide(&search.request()).verdict, expected, "{rule}");
    }
    let policy = rules(&[], &[], &["Read(/etc)"]);
    let list = path_call("ls", "Read", "/etc", "/etc");
    assert_eq!(policy.decide(&list.request()).verdict, ALLOW);
}

#[test]
fn a_search_above_a_denied_place_asks_and_never_runs_unasked() {
    let deny = ["Read(./secret/**)"];
    let search = path_call("grep", "Read", ".", "/proj");
    let beside = path_call("grep", "Read", "src", "/proj/src");
    let below = path_call("find", "Read", "secret/x", "/proj/secret/x");
    let list = path_call("ls", "Read", ".", "/proj");
    let policy = rules(&deny, &[], &["Read(./**)"]);
    assert_eq!(policy.decide(&search.request()).verdict, ASK);
    assert_eq!(policy.decide(&beside.request()).verdict, ALLOW);
    assert_eq!(policy.decide(&below.request()).verdict, DENY);
    assert_eq!(
        policy.decide(&list.request()).verdict,
        ALLOW,
        "names of a folder above are no read"
    );
    for mode in [PermissionMode::Bypass, PermissionMode::DontAsk] {
        let policy = in_mode(mode, &deny, &[], &["Read"]);
        assert_eq!(policy.decide(&search.request()).verdict, DENY, "{mode}");
    }
}

#[test]
fn a_pattern_for_anywhere_may_lie_below_any_folder() {
    let policy = rules(&["Read(**/.env*)"], &[], &[]);
    let search = path_call("grep", "Read", "src", "/proj/src");
    let decision = policy.decide(&search.request());
    assert_eq!(decision.verdict, ASK);
    assert!(
        decision.reason.contains("`Read(**/.env*)` (policy.json:1)"),
        "{}",
        decision.reason
    );
    let policy = rules(&[], &["Read(./secret/**)"], &["Read"]);
    assert_eq!(
        policy
            .decide(&path_call("grep", "Read", ".", "/proj").request())
            .verdict,
        ASK
    );
    assert_eq!(policy.decide(&search.request()).verdict, ALLOW);
}

#[test]
fn the_own_files_of_deed_are_never_written() {
    for mode in ["plan", "default", "acceptEdits", "dontAsk", "bypass"] {
        let mode = PermissionMode::named(mode).unwrap();
        let policy = in_mode(mode, &[], &[], &["Write", "Bash"]);
        for call in [
            "Write(~/.config/deed/policy.json)",
            "Write(~/.local/state/deed/audit/2026-11.jsonl)",
        ] {
            assert_eq!(verdict(&policy, call), DENY, "{call} in {mode}");
        }
    }
    let policy = rules(&[], &[], &["Write"]);
    let linked = path_call("write", "Write", "x", "/home/ann/.config/deed/policy.json");
    let decision = policy.decide(&linked.request());
    assert_eq!(decision.basis, Basis::BuiltIn("protected-path"));
}

#[test]
fn saved_output_of_the_session_is_always_readable() {
    let call = "Read(~/.local/state/deed/output/s1/bash-1.log)";
    let other = "Read(~/.local/state/deed/output/s2/bash-1.log)";
    for mode in [
        PermissionMode::Default,
        PermissionMode::Plan,
        PermissionMode::DontAsk,
    ] {
        let policy = in_mode(mode, &[], &[], &[]);
        assert_eq!(verdict(&policy, call), ALLOW);
        assert_ne!(verdict(&policy, other), ALLOW);
    }
    assert_eq!(
        verdict(&rules(&["Read(~/.local/**)"], &[], &[]), call),
        DENY
    );
}

#[test]
fn skills_of_the_session_are_readable_and_not_writable() {
    let call = "Read(~/.config/deed/skills/pdf/notes.md)";
    for mode in [PermissionMode::Default, PermissionMode::Plan] {
        let policy = in_mode(mode, &[], &[], &[]);
        assert_eq!(verdict(&policy, call), ALLOW);
        for other in [
            "Read(~/.config/deed/skills/pdf2/SKILL.md)",
            "Read(~/.config/deed/auth.json)",
            "Write(~/.config/deed/skills/pdf/notes.md)",
        ] {
            assert_ne!(verdict(&policy, other), ALLOW, "{other} in {mode}");
        }
    }
    assert_eq!(
        verdict(&rules(&["Read(~/.config/**)"], &[], &[]), call),
        DENY
    );
}

#[test]
fn a_tool_that_replaces_a_built_in_does_not_run_under_its_rules() {
    let policy = rules(
        &["Read(./secret)"],
        &["Write(./ask)"],
        &["Read(./**)", "Write(./**)"],
    );
    let read = |path: &str| {
        let access = Access::Read(vec![path.into()]);
        extension_call("read", "/ext/read.ts", access, json!({ "path": path }))
    };
    assert_eq!(policy.decide(&read("/proj/a").request()).verdict, ASK);
    assert_eq!(policy.decide(&read("/proj/secret").request()).verdict, DENY);
    let access = Access::Write(vec!["/proj/ask".into()]);
    let write = extension_call("write", "/ext/write.ts", access, json!({}));
    assert_eq!(
        policy.decide(&write.request()).rule_id(),
        "user:permissions.ask[0] Write(./ask)"
    );
    assert_eq!(decide(&policy, "Read(a)").verdict, ALLOW);
}

#[test]
fn an_edit_shows_lines_of_the_file_so_a_denied_read_denies_it() {
    let policy = in_mode(
        PermissionMode::AcceptEdits,
        &["Read(./keys/**)"],
        &[],
        &["Write(./**)"],
    );
    let of = |tool: &str, path: &str| {
        let real = format!("/proj/{path}");
        policy.decide(&path_call(tool, "Write", path, &real).request())
    };
    let edit = of("edit", "keys/a");
    assert_eq!(edit.verdict, DENY);
    assert!(edit.reason.contains("Read(./keys/**)"), "{}", edit.reason);
    assert_eq!(of("write", "keys/a").verdict, ALLOW);
    assert_eq!(of("edit", "src/a").verdict, ALLOW);
}
