//! Scripts and what a session reaches beyond its tools: providers, commands of people, folders.

use std::sync::{Arc, Mutex};

use deed_extensions::{StartReason, TrustAnswer};
use deed_harness::{BashError, BashRequest, ResourcePlaces, Resources};
use deed_models::{Api, ModelSpec, Prices, Quirks, RemoteModel, StaticKey, Transport};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::{Play, Played, batch, call, tool};

const KEY: &str = "sk-a-very-secret-key";

/// A server that answers one request, and what it was sent.
async fn provider() -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let sent = Arc::new(Mutex::new(String::new()));
    let keeps = sent.clone();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        while !is_whole(&bytes) {
            let count = stream.read(&mut piece).await.unwrap();
            assert!(count > 0);
            bytes.extend_from_slice(&piece[..count]);
        }
        *keeps.lock().unwrap() = String::from_utf8(bytes).unwrap();
        let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "hello" }, "finish_reason": "stop" }] });
        let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: r7\r\nset-cookie: a=b\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
    });
    (address, sent)
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    length.is_some_and(|length| body.len() >= length.parse::<usize>().unwrap())
}

fn model(base_url: String) -> RemoteModel {
    let spec = ModelSpec {
        provider: "acme".into(),
        id: "acme-1".into(),
        name: "Acme One".into(),
        api: Api::Chat,
        base_url,
        headers: vec![("x-team".into(), "blue".into())],
        extra_body: Default::default(),
        context_window: 100_000,
        max_output_tokens: 4096,
        takes_images: false,
        thinking_levels: Vec::new(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    };
    let key = Arc::new(StaticKey(Some(KEY.to_owned())));
    RemoteModel::new(spec, key, Transport::default(), || 0)
}

async fn asked(extension: &str) -> (Played, String) {
    let (address, sent) = provider().await;
    let play = Play::new().recorded().with("p.js", extension);
    let played = play.model(Arc::new(model(address))).load(json!([{}])).await;
    let end = played.prompt("go").await;
    assert_eq!(end.error, None);
    let sent = sent.lock().unwrap().clone();
    (played, sent)
}

#[tokio::test]
async fn header_fields_and_body_of_a_request_can_be_changed_and_keys_are_not_shown() {
    let text = r#"export default (pi) => {
        const seen = [];
        pi.on("before_provider_headers", (event) => {
            seen.push(JSON.stringify(event.headers));
            event.headers["x-trace"] = "t1";
            event.headers["x-team"] = null;
        });
        pi.on("before_provider_request", (event) => ({ ...event.payload, temperature: 0.5 }));
        pi.on("before_provider_request", (event) => { event.payload.seed = event.payload.temperature * 14; });
        pi.on("after_provider_response", (event) => seen.push(`${event.status} ${event.headers["x-request-id"]} ${event.headers["set-cookie"]}`));
        pi.on("agent_end", (_event, ctx) => pi.appendEntry("seen", seen));
    }"#;
    let (played, sent) = asked(text).await;
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&body["temperature"], &body["seed"]),
        (&json!(0.5), &json!(7))
    );
    assert_eq!(body["model"], "acme-1");
    assert!(head.contains("x-trace: t1"), "{head}");
    assert!(!head.contains("x-team"), "{head}");
    assert!(
        head.contains(&format!("authorization: Bearer {KEY}")),
        "{head}"
    );
    let entries = played.entries("seen");
    let seen = entries[0].as_array().unwrap();
    let shown = seen[0].as_str().unwrap();
    assert!(shown.contains(r#""x-team":"blue""#), "{shown}");
    assert!(!shown.contains(KEY), "{shown}");
    assert_eq!(seen[1], "200 r7 undefined");
    assert_eq!(played.failures.lines(), [] as [&str; 0]);
}

#[tokio::test]
async fn a_handler_that_fails_leaves_the_request_as_it_was() {
    let text = r#"export default (pi) => {
        pi.on("before_provider_request", (event) => { throw new Error("no"); });
        pi.on("before_provider_headers", (event) => { event.headers["x-bad"] = { a: 1 }; });
    }"#;
    let (played, sent) = asked(text).await;
    assert!(sent.contains("x-team: blue"), "{sent}");
    assert!(!sent.contains("x-bad"), "{sent}");
    let failures = played.failures.lines();
    assert_eq!(failures.len(), 2, "{failures:?}");
}

fn bash(command: &str) -> BashRequest {
    BashRequest {
        command: command.to_owned(),
        ..BashRequest::default()
    }
}

async fn ran(text: &str, command: &str) -> (Played, Result<deed_harness::RanCommand, BashError>) {
    let played = Play::new().with("b.js", text).load(json!([{}])).await;
    let cancel = CancellationToken::new();
    let ran = played.session.run_bash(bash(command), &cancel).await;
    (played, ran)
}

#[tokio::test]
async fn a_script_answers_a_command_of_a_person_or_leaves_it_to_the_shell() {
    let text = r#"export default (pi) => pi.on("user_bash", (event) => event.command.startsWith("secret")
        ? { result: { output: `${event.command} in ${event.cwd}`, exitCode: 3, cancelled: false, truncated: false } }
        : undefined);"#;
    let (played, result) = ran(text, "secret word").await;
    let result = result.unwrap();
    assert_eq!(played.plain(&result.output), "secret word in ROOT");
    assert_eq!(result.exit_code, Some(3));
    let (_, result) = ran(text, "printf plain").await;
    assert_eq!(result.unwrap().output, "plain");
}

#[tokio::test]
async fn a_command_of_a_person_runs_through_operations() {
    let text = r#"export default (pi) => pi.on("user_bash", () => ({ operations: {
        async exec(command, cwd, { onData, signal }) {
            onData(Buffer.from(`ran ${command}\n`));
            onData(Buffer.from([0xc3]));
            onData(Buffer.from([0xa9]));
            return { exitCode: signal.aborted ? 9 : 0 };
        },
    } }));"#;
    let (_, result) = ran(text, "ls -la").await;
    let result = result.unwrap();
    assert_eq!(
        (result.output.as_str(), result.exit_code),
        ("ran ls -la\né", Some(0))
    );
}

#[tokio::test]
async fn operations_hear_of_a_cancellation() {
    let text = r#"export default (pi) => pi.on("user_bash", () => ({ operations: {
        exec: (command, cwd, { onData, signal }) => new Promise((resolve) => {
            onData(Buffer.from("begun"));
            signal.addEventListener("abort", () => { onData(Buffer.from(", ended")); resolve({ exitCode: null }); });
        }),
    } }));"#;
    let played = Play::new().with("b.js", text).load(json!([{}])).await;
    let cancel = CancellationToken::new();
    let running = played.session.run_bash(bash("sleep 100"), &cancel);
    let stopping = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(running, stopping);
    let error = match ran {
        // Stopped before the script was asked.
        Err(error) => error.to_string(),
        Ok(ran) => {
            assert!(ran.is_cancelled);
            assert_eq!((ran.output.as_str(), ran.exit_code), ("begun, ended", None));
            return;
        }
    };
    assert!(error.contains("cancelled"), "{error}");
}

#[tokio::test]
async fn a_handler_that_fails_or_answers_nonsense_ends_the_command() {
    let cases = [
        ("() => { throw new Error('no shell') }", "no shell"),
        ("() => ({})", "either `operations` or `result`"),
        (
            "() => ({ result: {}, operations: {} })",
            "either `operations` or `result`",
        ),
        ("() => ({ operations: { exec: 1 } })", "function `exec`"),
        ("() => ({ result: { output: 7 } })", "makes no sense"),
    ];
    for (handler, expected) in cases {
        let text = format!("export default (pi) => pi.on('user_bash', {handler});");
        let (played, result) = ran(&text, "printf x > made.txt").await;
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{handler}: {error}");
        assert!(!played.root.join("made.txt").exists());
        let failures = played.failures.lines();
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert!(failures[0].starts_with("user_bash: "), "{failures:?}");
    }
}

#[tokio::test]
async fn skills_and_templates_of_a_script_are_found_and_stand_in_the_prompt() {
    let text = r#"export default (pi) => pi.on("resources_discover", (event) => ({
        skillPaths: ["more/skills"], promptPaths: [`${event.cwd}/more/prompts`],
    }));"#;
    let skill = "---\nname: digging\ndescription: How to dig\n---\nDig.";
    let play = Play::new()
        .with("r.js", text)
        .file("more/skills/digging/SKILL.md", skill)
        .file("more/prompts/dig.md", "Dig here");
    let played = play.load(json!([{}])).await;
    let mut resources = Resources::load(&ResourcePlaces::default());
    let session = &played.session;
    session
        .discover_resources(&mut resources, StartReason::Startup)
        .await;
    assert_eq!(resources.prompts.len(), 1);
    assert!(session.system_prompt().contains("How to dig"));
}

#[tokio::test]
async fn a_script_decides_on_the_trust_of_a_project_before_the_session_starts() {
    let text = r#"export default (pi) => pi.on("project_trust", async (event, ctx) => {
        if (!event.cwd.endsWith("mine")) return { trusted: "undecided" };
        const yes = ctx.hasUI && await ctx.ui.confirm("Trust?", event.cwd);
        ctx.ui.notify(`${ctx.mode} decided`, "info");
        return { trusted: yes ? "yes" : "no", remember: true };
    });"#;
    let played = Play::new().person(true).with("t.js", text).loading().await;
    let host = played.session.extensions();
    let cancel = CancellationToken::new();
    let said = host.project_trust("/home/mine".as_ref(), &cancel).await;
    let yes = TrustAnswer {
        is_trusted: true,
        remember: true,
    };
    assert_eq!(said, Some(yes));
    assert_eq!(
        played.seen(),
        ["confirm Trust?: /home/mine", "Info rpc decided"]
    );
    let said = host.project_trust("/home/other".as_ref(), &cancel).await;
    assert_eq!(said, None);
    assert_eq!(played.failures.lines(), [] as [&str; 0]);
}

#[tokio::test]
async fn an_update_carries_the_message_so_far() {
    let text = r#"export default (pi) => {
        const seen = [];
        pi.on("message_update", (event) => seen.push(event.message.content.map((block) => block.text ?? block.name).join("|")));
        pi.on("agent_end", () => pi.appendEntry("seen", seen));
    }"#;
    let script = json!([{ "say": "one two three", "calls": [call("a", "t", json!({}))] }, { "say": "done" }]);
    let played = Play::new()
        .recorded()
        .with("t.ts", &tool("return 1"))
        .with("m.js", text)
        .run(script)
        .await;
    let entries = played.entries("seen");
    let seen: Vec<&str> = entries[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    assert!(seen.contains(&"one two three"), "{seen:?}");
    assert!(seen.contains(&"one two three|t"), "{seen:?}");
    assert_eq!(seen.last(), Some(&"done"));
    assert!(seen[0].len() < "one two three".len(), "{seen:?}");
}

#[tokio::test]
async fn a_result_without_content_is_one_with_no_content() {
    let text = "export default (pi) => pi.registerTool({ name: 't', description: '', parameters: { type: 'object' }, execute: async () => ({}) })";
    let played = Play::new()
        .with("t.js", text)
        .run(batch(&[call("c", "t", json!({}))]))
        .await;
    assert_eq!(played.text("c"), "");
    assert!(played.result("c").content.is_empty());
}
