//! What is told of Pi's interface is what scripts find.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use deed_guard::policy::{
    ExtensionAct, ExtensionGrants, Ground, Policy, PolicyInput, PolicyText, Tier,
};
use deed_typescript::{How, MemberGroup, MemberKind, Support, Used, extensions_markdown, support};
use serde_json::json;

use crate::support::Play;

fn of<'a>(support: &'a Support, object: &str, member: &str) -> &'a How {
    let used = Used::Member {
        object: object.to_owned(),
        member: member.to_owned(),
    };
    &support.of(&used).unwrap().how
}

#[tokio::test]
async fn members_are_told_apart() {
    let support = support().await.unwrap();
    assert_eq!(of(&support, "pi", "exec"), &How::Whole);
    assert_eq!(of(&support, "ui", "confirm"), &How::Whole);
    assert_eq!(
        of(&support, "pi", "registerVirtualModel"),
        &How::Refused(None)
    );
    assert_eq!(
        of(&support, "ui", "setWidget"),
        &How::Part("lines; no components".to_owned())
    );
    assert!(matches!(
        of(&support, "ui", "custom"),
        How::Refused(Some(_))
    ));
    assert_eq!(support.event("tool_call").unwrap().how, How::Whole);
    assert_eq!(
        support.event("mcp_servers_change").unwrap().how,
        How::Refused(Some("never told".to_owned()))
    );
    let import = |module: &str, name: &str| {
        let used = Used::Import {
            module: module.to_owned(),
            name: Some(name.to_owned()),
        };
        support.of(&used).unwrap().how.clone()
    };
    assert_eq!(import("@earendil-works/pi-tui", "Text"), How::Whole);
    assert_eq!(
        import("@earendil-works/pi-tui", "SelectList"),
        How::Refused(None)
    );
    assert_eq!(import("node:fs", "readFileSync"), How::Whole);
    assert_eq!(import("node:http", "request"), How::Refused(None));
}

#[tokio::test]
async fn what_members_ask_of_the_host_is_found_in_their_text() {
    let support = support().await.unwrap();
    let asks = |object: &str, member: &str| {
        let used = Used::Member {
            object: object.to_owned(),
            member: member.to_owned(),
        };
        support.of(&used).unwrap().asks.clone()
    };
    assert_eq!(asks("pi", "exec"), ["exec.cancel", "exec"]);
    assert_eq!(asks("ctx", "fork"), ["session.fork"]);
    assert_eq!(asks("ui", "notify"), ["ui.notify"]);
    assert!(asks("modelRegistry", "complete").contains(&"model.complete".to_owned()));
    assert_eq!(asks("ctx", "executeTool"), ["tools.execute"]);
}

/// How a script writes the object of a group, in a command.
fn expression(group: &MemberGroup) -> Option<&str> {
    match group.name.as_str() {
        "pi" | "pi.events" | "ctx" | "ctx.ui" | "ctx.sessionManager" | "ctx.modelRegistry" => {
            Some(&group.name)
        }
        "ctx of a command" => Some("ctx"),
        _ => None,
    }
}

#[tokio::test]
async fn what_is_refused_throws_and_the_rest_is_there() {
    let support = support().await.unwrap();
    let mut body = String::new();
    let objects = support
        .groups
        .iter()
        .filter(|group| group.kind == MemberKind::Object);
    for (object, group) in objects.filter_map(|group| Some((expression(group)?, group))) {
        for member in &group.members {
            let name = &member.name;
            match &member.how {
                How::Refused(None) => {
                    writeln!(body, "await refuses('{name}', () => {object}.{name}());")
                }
                How::Refused(Some(_)) => continue,
                _ => writeln!(
                    body,
                    "if (!('{name}' in {object})) console.log('no {name}');"
                ),
            }
            .unwrap();
        }
    }
    let text = format!(
        "const refuses = async (name, use) => {{
            try {{ await use(); console.log('did not throw:', name); }}
            catch (error) {{ if (error.name !== 'UnsupportedError') console.log(name, String(error)); }}
        }};
        export default (pi) => pi.registerCommand('look', {{ handler: async (_, ctx) => {{
            {body}
            console.log('looked');
        }} }});"
    );
    let played = Play::new()
        .limits(|limits| limits.slice = Duration::from_secs(60))
        .with("x.js", &text)
        .load(json!([{}]))
        .await;
    played.session.run_command("look", "").await.unwrap();
    assert_eq!(played.notices.lines(), ["Info looked"]);
}

#[tokio::test]
async fn the_published_document_is_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/extensions.md");
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == extensions_markdown().await.unwrap(),
        "docs/extensions.md is not what the code says; run `cargo xtask docs`"
    );
}

const TEMPLATE: &str = include_str!("../../src/support/extensions.md");

/// Returns the blocks of code of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let head = format!("```{language}\n");
    let parts = TEMPLATE.split(&head).skip(1);
    parts
        .map(|part| part.split("```").next().unwrap())
        .collect()
}

#[tokio::test]
async fn the_extensions_in_the_document_load() {
    let texts = blocks("ts");
    assert_eq!(texts.len(), 2);
    for (text, tool) in texts.into_iter().zip(["word_count", "query_database"]) {
        let played = Play::new().with("x.ts", text).load(json!([{}])).await;
        assert!(
            played.diagnostics().is_empty(),
            "{:?}",
            played.diagnostics()
        );
        assert!(played.session.registry().get(tool).is_some(), "{tool}");
    }
}

#[test]
fn the_policy_in_the_document_grants_what_it_says() {
    let [text] = blocks("json")[..] else {
        panic!("one policy");
    };
    let policy = Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text.to_owned())],
        ground: Ground {
            workspace: vec!["/work".into()],
            ..Ground::default()
        },
        mode: None,
    })
    .unwrap();
    let permit = |name: &str| {
        let file = Path::new("/extensions").join(name).join("index.ts");
        policy
            .permit_extension((name, &file), &ExtensionGrants::default())
            .unwrap()
    };
    let (own, other) = (permit("my-log"), permit("other"));
    let write = |path: &'static str| ExtensionAct::Write(Path::new(path));
    own.decide(&write("/work/notes/a")).unwrap();
    own.decide(&ExtensionAct::Run("git log")).unwrap();
    own.decide(&ExtensionAct::Connect("x.example.org")).unwrap();
    own.decide(&ExtensionAct::Know("MY_LOG_LEVEL")).unwrap();
    own.decide(&write("/work/a")).unwrap_err();
    own.decide(&ExtensionAct::Run("git log; ls")).unwrap_err();
    other
        .decide(&ExtensionAct::Read(Path::new("/work/a")))
        .unwrap();
    other.decide(&ExtensionAct::Run("git log")).unwrap_err();
    other.decide(&write("/work/notes/a")).unwrap_err();
}

#[test]
fn the_limits_in_the_document_are_those_of_the_code() {
    let limits = deed_typescript::Limits::default();
    let told = [
        format!(
            "| {} MB | the engine ends",
            limits.max_heap_bytes / 1024 / 1024
        ),
        format!("| {} s of processor time", limits.slice.as_secs()),
        format!("| {} KB | a `RangeError`", limits.max_stack_bytes / 1024),
        format!(
            "| {} s | the extension is not loaded",
            limits.factory_time.as_secs()
        ),
    ];
    for told in told {
        assert!(TEMPLATE.contains(&told), "{told}");
    }
}
