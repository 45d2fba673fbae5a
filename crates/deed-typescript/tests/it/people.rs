//! What scripts show people and know of the session.

use std::sync::Arc;

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{Event, EventBody, Message};
use serde_json::{Value, json};

use crate::support::{Play, Played, batch, call, tool};

fn command(body: &str) -> String {
    format!(
        "export default (pi) => pi.registerCommand('c', {{ handler: async (args, ctx) => {{ {body} }} }})"
    )
}

#[tokio::test]
async fn what_is_shown_beside_the_conversation_reaches_the_front_end() {
    let text = command(
        r#"ctx.ui.setTitle("my\u0007 title");
        ctx.ui.setStatus("mode", "busy\u001b");
        ctx.ui.setWidget("todo", ["one", "two\u0008"], { placement: "belowEditor" });
        ctx.ui.setWidget("todo", undefined);
        ctx.ui.setEditorText("line\n\u0000two");
        ctx.ui.setWorkingMessage("\u001b[38;2;1;2;3mdigging\u001b[39m");
        ctx.ui.setWorkingMessage();
        ctx.ui.notify(await ctx.ui.editor("Edit", "before"), "info");"#,
    );
    let played = Play::new()
        .person(true)
        .with("u.js", &text)
        .load(json!([{}]))
        .await;
    played.session.run_command("c", "").await.unwrap();
    insta::assert_snapshot!(played.seen().join("\n"), @r#"
    title my title
    status mode Some("busy")
    widget todo Some(["one", "two"]) BelowEditor
    widget todo None AboveEditor
    editor_text "line\ntwo"
    working Some("digging")
    working None
    editor Edit Some("before")
    Info edited
    "#);
}

#[tokio::test]
async fn a_script_is_told_when_the_session_waits_for_a_person() {
    let text = r#"export default (pi) => {
        const seen = [];
        for (const name of ["ui_prompt_start", "ui_prompt_end"]) pi.on(name, (event) => {
            seen.push(`${event.type} ${event.kind} ${event.title} ${event.reason}`);
            if (seen.length === 4) pi.appendEntry("seen", seen);
        });
        pi.registerCommand("c", { handler: async (args, ctx) => {
            await ctx.ui.confirm("First?", "");
            await ctx.ui.input("Second?");
        } });
    }"#;
    let played = Play::new()
        .recorded()
        .person(true)
        .with("u.js", text)
        .load(json!([{}]))
        .await;
    let wrote = Appended::of(&played);
    played.session.run_command("c", "").await.unwrap();
    let entry = wrote.next().await;
    assert_eq!(
        entry["data"],
        json!([
            "ui_prompt_start confirm First? ui_prompt",
            "ui_prompt_end confirm First? ui_prompt",
            "ui_prompt_start input Second? ui_prompt",
            "ui_prompt_end input Second? ui_prompt",
        ])
    );
}

/// Waits for entries that are added.
struct Appended {
    entries: tokio::sync::Mutex<tokio::sync::mpsc::UnboundedReceiver<Value>>,
}

struct Tell(tokio::sync::mpsc::UnboundedSender<Value>);

impl BarrierSink for Tell {
    fn name(&self) -> &str {
        "entries"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if let EventBody::EntryAppended { entry } = &event.body {
            self.0.send(entry.clone()).ok();
        }
        Box::pin(async { Ok(()) })
    }
}

impl Appended {
    fn of(played: &Played) -> Self {
        let (tell, entries) = tokio::sync::mpsc::unbounded_channel();
        played.session.add_sink(Arc::new(Tell(tell)));
        Self {
            entries: tokio::sync::Mutex::new(entries),
        }
    }

    async fn next(&self) -> Value {
        self.entries.lock().await.recv().await.unwrap()
    }
}

#[tokio::test]
async fn keys_are_listed_and_do_what_they_are_for() {
    let text = r#"export default (pi) => {
        pi.registerShortcut("Ctrl+Shift+P", { description: "Plans", handler: (ctx) => ctx.ui.notify("planned", "info") });
        pi.registerShortcut("ctrl+x", { handler: () => { throw new Error("no"); } });
    }"#;
    let played = Play::new()
        .person(true)
        .with("k.js", text)
        .load(json!([{}]))
        .await;
    let host = played.session.extensions();
    let keys = host.shortcuts();
    let listed: Vec<(&str, &str)> = keys
        .iter()
        .map(|shortcut| (&*shortcut.key, &*shortcut.description))
        .collect();
    assert_eq!(listed, [("ctrl+shift+p", "Plans"), ("ctrl+x", "")]);
    host.run_shortcut("CTRL+shift+p").await.unwrap();
    assert_eq!(played.seen(), ["Info planned"]);
    let error = host.run_shortcut("ctrl+x").await.unwrap_err();
    assert_eq!(error.to_string(), "the command `ctrl+x` failed: no");
    assert!(host.run_shortcut("f1").await.is_err());
}

#[tokio::test]
async fn a_script_knows_what_waits_how_full_the_context_is_and_whom_to_trust() {
    let body = r#"
        pi.sendUserMessage("and then?", { deliverAs: "followUp" });
        return JSON.stringify([ctx.hasPendingMessages(), ctx.isProjectTrusted(), ctx.thinkingLevel, pi.getThinkingLevel(), ctx.getContextUsage() ?? null]);
    "#;
    let script = json!([
        { "calls": [call("c", "t", json!({}))] },
        { "say": "done" },
        { "say": "then that" },
    ]);
    let played = Play::new()
        .options(|options| options.is_project_trusted = true)
        .with("t.ts", &tool(body))
        .run(script)
        .await;
    assert_eq!(played.text("c"), r#"[true,true,"off","off",null]"#);
}

#[tokio::test]
async fn a_name_that_a_script_gives_the_session_is_told() {
    let text = r#"export default (pi) => {
        pi.registerCommand("name", { handler: (args) => pi.setSessionName(args) });
        pi.on("session_info_changed", (event) => pi.appendEntry("named", event.name));
    }"#;
    let play = Play::new().recorded().with("n.js", text);
    let played = play.load(json!([{}])).await;
    let wrote = Appended::of(&played);
    played.session.run_command("name", "dig").await.unwrap();
    assert_eq!(wrote.next().await["data"], "dig");
    assert_eq!(played.session.session_name().as_deref(), Some("dig"));
}

#[tokio::test]
async fn what_is_for_the_next_turn_waits_for_the_next_prompt() {
    let body = r#"
        pi.sendMessage({ customType: "aside", content: "by the way", display: true }, { deliverAs: "nextTurn", triggerTurn: true });
        return "sent";
    "#;
    let mut script = batch(&[call("c", "t", json!({}))]);
    script
        .as_array_mut()
        .unwrap()
        .push(json!({ "say": "again" }));
    let played = Play::new().with("t.ts", &tool(body)).run(script).await;
    assert_eq!(said(&played.session.agent().messages()), ["go"]);
    played.prompt("more").await;
    assert_eq!(
        said(&played.session.agent().messages()),
        ["go", "more", "aside: by the way"]
    );
}

/// Keeps the messages that no model and no tool wrote.
fn said(messages: &[Arc<Message>]) -> Vec<String> {
    let texts = messages.iter().filter_map(|message| match &**message {
        Message::User(user) => Some(json!(user.content).as_str().unwrap().to_owned()),
        Message::Custom(custom) => {
            let content = json!(custom.content);
            let text = content.as_str().unwrap();
            Some(format!("{}: {text}", custom.custom_type))
        }
        _ => None,
    });
    texts.collect()
}
