//! What an author begins with works as it is.

use std::path::Path;
use std::process::Command;

use deed_typescript::{Survey, new_extension};
use serde_json::json;

use crate::support::{Play, batch, call};

fn text_of(name: &str, file: &str) -> String {
    let files = new_extension(name).unwrap();
    let found = files.into_iter().find(|(path, _)| path == Path::new(file));
    found.unwrap().1
}

fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let done = Command::new("git")
        .args(who)
        .args(args)
        .current_dir(folder)
        .output();
    let done = done.unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn begun() -> Play {
    let play = Play::new().with("my-log.ts", &text_of("my-log", "index.ts"));
    git(play.root(), &["init", "--quiet"]);
    git(
        play.root(),
        &["commit", "--quiet", "--allow-empty", "--message", "first"],
    );
    git(
        play.root(),
        &["commit", "--quiet", "--allow-empty", "--message", "second"],
    );
    play
}

#[tokio::test]
async fn the_tool_of_a_new_extension_lists_commits_within_its_bounds() {
    let calls = [
        call("1", "my_log_log", json!({ "count": 1 })),
        call("2", "my_log_log", json!({ "count": 51 })),
        call("3", "my_log_log", json!({ "count": 1, "all": true })),
    ];
    let played = begun().run(batch(&calls)).await;
    let listed = played.text("1");
    assert!(
        listed.contains("second") && !listed.contains("first"),
        "{listed}"
    );
    assert!(played.fault("2").contains("count"), "{}", played.fault("2"));
    assert!(played.fault("3").contains("all"), "{}", played.fault("3"));
}

#[tokio::test]
async fn the_gate_of_a_new_extension_asks_and_blocks_with_nobody_to_ask() {
    let push = [call(
        "1",
        "bash",
        json!({ "command": "git push --dry-run nowhere" }),
    )];
    let unasked = begun().run(batch(&push)).await;
    assert!(
        unasked
            .fault("1")
            .contains("pushing needs somebody who agrees")
    );
    let refused = begun().person(false).run(batch(&push)).await;
    assert!(refused.fault("1").contains("the person said no to pushing"));
    assert_eq!(
        refused.seen(),
        ["confirm Push?: git push --dry-run nowhere"]
    );
    let agreed = begun().person(true).run(batch(&push)).await;
    assert!(
        agreed.fault("1").contains("nowhere"),
        "{}",
        agreed.fault("1")
    );
}

#[tokio::test]
async fn the_command_of_a_new_extension_shows_the_last_commit() {
    let played = begun().person(true).load(json!([{}])).await;
    played.session.run_command("my-log", "").await.unwrap();
    let seen = played.seen().join("\n");
    assert!(
        seen.starts_with("Info ") && seen.ends_with("second"),
        "{seen}"
    );
}

#[test]
fn what_a_new_extension_wants_shows_in_its_files() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in new_extension("one").unwrap() {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let survey = Survey::of(&folder.path().join("index.ts"));
    assert_eq!(survey.faults, [""; 0]);
    assert!(survey.wants.runs && !survey.wants.writes && !survey.wants.reads);
}

#[test]
fn a_name_is_one_for_a_folder_a_tool_and_a_command() {
    for name in ["", "A", "1a", "a b", "a/b", "..", "a_b", &"a".repeat(41)] {
        let refused = new_extension(name).unwrap_err().to_string();
        assert!(
            refused.starts_with(&format!("`{name}` is no name")),
            "{refused}"
        );
    }
}

#[test]
fn every_module_that_editors_are_told_of_is_declared() {
    let config = text_of("one", "tsconfig.json");
    let files = new_extension("one").unwrap();
    let mut declared = 0;
    for part in config.split("[\"./").skip(1) {
        let path = part.split('"').next().unwrap();
        assert!(
            files.iter().any(|(own, _)| own == Path::new(path)),
            "{path}"
        );
        declared += 1;
    }
    assert!(declared > 10);
}
