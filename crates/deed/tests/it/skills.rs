//! Skills, templates and context files in a run of the real program.

use std::fs;

use serde_json::{Value, json};

use super::support::{Ran, Sandbox};

fn put(sandbox: &Sandbox, name: &str, content: &str) {
    let path = sandbox.home().join(".config/deed").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Runs `deed -p` with a script of these turns and gives its events.
fn events(sandbox: &Sandbox, turns: &Value, prompt: &str) -> Ran {
    sandbox.write("script.json", turns.to_string());
    let ran = sandbox.deed(&[
        "-p",
        "--mode",
        "json",
        "--model",
        "script:script.json",
        prompt,
    ]);
    assert!(!ran.stdout.is_empty(), "{ran:?}");
    ran
}

fn said(ran: &Ran) -> String {
    let events = ran.lines();
    let mut messages = events
        .iter()
        .filter(|event| event["type"] == "message_start");
    let user = messages
        .find(|event| event["message"]["role"] == "user")
        .unwrap();
    let content = &user["message"]["content"];
    content[0]["text"]
        .as_str()
        .or(content.as_str())
        .unwrap()
        .to_owned()
}

#[test]
fn an_unattended_run_may_read_its_skills_and_nothing_else_there() {
    let sandbox = Sandbox::new();
    put(
        &sandbox,
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: x\n---\nSee notes.md",
    );
    put(&sandbox, "skills/pdf/notes.md", "the notes");
    put(&sandbox, "other.md", "private");
    let config = sandbox.home().join(".config/deed");
    let read = |name: &str| json!({ "name": "read", "arguments": { "path": config.join(name) } });
    let calls = [
        read("skills/pdf/SKILL.md"),
        read("skills/pdf/notes.md"),
        read("other.md"),
    ];
    let ran = events(
        &sandbox,
        &json!([{ "calls": calls }, { "say": "done" }]),
        "go",
    );
    let results = ran
        .lines()
        .into_iter()
        .filter(|event| event["type"] == "message_end" && event["message"]["role"] == "toolResult");
    let texts: Vec<String> = results
        .map(|event| {
            event["message"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert!(texts[0].ends_with("See notes.md"), "{texts:?}");
    assert_eq!(texts[1], "the notes");
    assert!(!texts[2].contains("private"), "{texts:?}");
    assert_eq!(ran.code, 3, "what was refused has its exit code: {ran:?}");
}

#[test]
fn a_skill_and_a_template_are_commands() {
    let sandbox = Sandbox::new();
    put(
        &sandbox,
        "skills/pdf/SKILL.md",
        "---\ndescription: x\n---\nSteps of pdf.",
    );
    put(&sandbox, "prompts/review.md", "Review $1 for ${2:-bugs}.");
    let turns = json!([{ "say": "done" }]);
    let skill = said(&events(&sandbox, &turns, "/skill:pdf all of it"));
    assert!(
        skill.contains("\n\nSteps of pdf.\n</skill>\n\nall of it"),
        "{skill}"
    );
    let review = said(&events(&sandbox, &turns, "/review 'a b.rs'"));
    assert_eq!(review, "Review a b.rs for bugs.");
    let ran = sandbox.deed(&["-p", "--model", "script:script.json", "/skill:pfd"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(ran.stderr, "deed: there is no skill `pfd`; there are pdf\n");
}

#[test]
fn what_is_broken_is_a_warning_and_the_run_goes_on() {
    let sandbox = Sandbox::new();
    put(&sandbox, "skills/a/SKILL.md", "no head");
    // A name that others would not take is no reason to say something in every run.
    put(
        &sandbox,
        "skills/B_b/SKILL.md",
        "---\ndescription: x\n---\n",
    );
    sandbox.write("AGENTS.md", b"\xff");
    sandbox.write("script.json", json!([{ "say": "done" }]).to_string());
    let ran = sandbox.deed(&["-p", "--model", "script:script.json", "go"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "done\n"));
    assert_eq!(
        sandbox.steady(&ran.stderr),
        "deed: warning: ROOT/work/AGENTS.md: it is not UTF-8; save it as UTF-8\n\
         deed: warning: ROOT/home/.config/deed/skills/a/SKILL.md: a skill needs a `description` in \
         the head of the file\n"
    );
}

#[test]
fn a_key_of_the_command_line_is_taken_out_of_what_is_said() {
    let sandbox = Sandbox::new();
    let key = "sk-4f9d2c7a1b8e3f60";
    sandbox.write("notes.txt", format!("the key is {key}\n"));
    let read = json!({ "name": "read", "arguments": { "path": "notes.txt" } });
    let turns = json!([{ "calls": [read] }, { "say": "done" }]);
    sandbox.write("script.json", turns.to_string());
    let ran = sandbox.deed(&[
        "-p",
        "--mode",
        "json",
        "--model",
        "script:script.json",
        "--api-key",
        key,
        "go",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("the key is "), "{ran:?}");
    assert!(!ran.stdout.contains(key), "{ran:?}");
}
