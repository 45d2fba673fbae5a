//! Which settings `deed exec` goes by.

use serde_json::{Value, json};

use super::support::{Sandbox, bash};

/// A sandbox with settings of the user and of a project that works in its folder.
fn with_settings(user: &Value, project: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let config = sandbox.home().join(".config/deed");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.json"), user.to_string()).unwrap();
    std::fs::create_dir(sandbox.path(".deed")).unwrap();
    sandbox.write(".deed/settings.json", project.to_string());
    sandbox
}

#[test]
fn settings_for_tools_hold() {
    let user = json!({
        "shellCommandPrefix": "GREETING=hello",
        "sql": { "shop": "sqlite:shop.db" },
        "durability": "strict",
        "defaultTools": ["read"],
    });
    let sandbox = with_settings(&user, &json!({}));
    sandbox.write("shop.db", "");
    let write = json!({ "name": "write", "arguments": { "path": "a", "content": "kept" } });
    let ask = json!({ "name": "query_database", "arguments": { "sql": "SELECT 7" } });
    let calls = json!([bash("echo $GREETING"), write, ask]);
    let ran = sandbox.exec(calls.to_string());
    let outcomes = ran.assert_clean().outcomes();
    assert_eq!(outcomes[0].text(), "hello\n");
    assert_eq!(sandbox.read("a"), "kept");
    assert!(outcomes[2].text().contains('7'), "{ran:?}");
}

#[test]
fn settings_of_a_project_hold_once_it_is_trusted() {
    let user = json!({ "images": { "autoResize": true } });
    let project = json!({ "sql": { "shop": "sqlite:shop.db" }, "shellPath": "/bin/false" });
    let sandbox = with_settings(&user, &project);
    sandbox.write("shop.db", "");
    let ask = json!({ "name": "query_database", "arguments": { "sql": "SELECT 7" } });
    let ran = sandbox.exec(ask.to_string());
    assert!(ran.outcomes()[0].is_error(), "{ran:?}");
    sandbox.deed(&["trust", "--project", "."]).assert_clean();
    let ran = sandbox.exec(ask.to_string());
    assert!(!ran.outcomes()[0].is_error(), "{ran:?}");
    insta::assert_snapshot!(sandbox.steady(ran.stderr.trim_end()), @"deed: warning: ROOT/work/.deed/settings.json:1:34: `shellPath` in a project's file was ignored, for it would run in place of the shell that your policy speaks of; it counts in your own settings only");
}

#[test]
fn a_database_of_the_command_line_goes_before_that_of_the_settings() {
    let user = json!({ "sql": { "shop": "sqlite:none/none.db" } });
    let sandbox = with_settings(&user, &json!({}));
    sandbox.write("shop.db", "");
    let ask = json!({ "name": "query_database", "arguments": { "sql": "SELECT 7" } });
    let ran = sandbox.exec_with(&["--sql", "shop=sqlite:shop.db"], ask.to_string());
    assert!(
        ran.assert_clean().outcomes()[0].text().contains('7'),
        "{ran:?}"
    );
}

#[test]
fn settings_that_are_wrong_end_it_before_anything_runs() {
    let sandbox = with_settings(&json!({ "maxConcurrentCalls": 0 }), &json!({}));
    let ran = sandbox.exec(bash("touch made").to_string());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("maxConcurrentCalls"), "{ran:?}");
    assert!(!sandbox.path("made").exists());
}

#[test]
fn keys_in_the_settings_do_not_leave_with_a_result() {
    let key = "sk-own-0123456789abcdef";
    let user = json!({ "providers": { "acme": { "baseUrl": "http://127.0.0.1:1", "api": "chat", "apiKey": key } } });
    let sandbox = with_settings(&user, &json!({}));
    sandbox.write("a", format!("it is {key}\n"));
    let ran = sandbox.exec(json!({ "name": "read", "arguments": { "path": "a" } }).to_string());
    let text = ran.assert_clean().stdout.clone();
    assert!(text.contains("[redacted") && !text.contains(key), "{text}");
}
