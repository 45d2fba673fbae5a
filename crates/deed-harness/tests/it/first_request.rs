//! What the first request of a session looks like on the wire.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;

use deed_harness::{ResourcePlaces, Resources, SystemPrompt};
use deed_models::{
    Api, ModelSpec, Prices, Quirks, RemoteModel, StaticKey, Transport, TransportOptions,
};
use deed_protocol::Message;
use serde_json::{Map, Value};

use crate::support::Place;

/// Answers one request with one word, and gives the body that was asked.
fn server() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let event = r#"{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}"#;
        let answer = format!("data: {event}\n\ndata: [DONE]\n\n");
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
        let stream = reader.get_mut();
        write!(
            stream,
            "{head}content-length: {}\r\n\r\n{answer}",
            answer.len()
        )
        .unwrap();
        String::from_utf8(body).unwrap()
    });
    (address, serving)
}

fn model(base_url: String) -> RemoteModel {
    let spec = ModelSpec {
        provider: "mock".into(),
        id: "mock".into(),
        name: "mock".into(),
        api: Api::Chat,
        base_url,
        headers: Vec::new(),
        extra_body: Map::new(),
        context_window: 0,
        max_output_tokens: 0,
        takes_images: true,
        thinking_levels: Vec::new(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    };
    let transport = Transport::new(TransportOptions::default());
    RemoteModel::new(spec, Arc::new(StaticKey(None)), transport, || 0)
}

#[tokio::test]
async fn with_the_four_tools_it_has_at_most_six_kilobytes() {
    let place = Place::new();
    let (address, serving) = server();
    let builder = place.builder().model(Arc::new(model(address)));
    let session = builder.build().unwrap();
    let end = session.prompt(vec![Message::user("hello", 0)]).await;
    assert_eq!(end.unwrap().error, None);
    let body = serving.join().unwrap();
    let request: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(request["tools"].as_array().unwrap().len(), 4);
    assert!(body.len() <= 6 * 1024, "{} bytes", body.len());
}

#[tokio::test]
async fn the_prompt_has_its_parts_in_order() {
    let place = Place::new();
    place.put("AGENTS.md", "Tests run with `make test`.\n");
    std::fs::create_dir_all(place.path(".deed/skills/release")).unwrap();
    place.put(
        ".deed/skills/release/SKILL.md",
        "---\nname: release\ndescription: Cuts a release. Use when asked to release.\n---\nSteps.",
    );
    place.put(".deed/APPEND_SYSTEM.md", "Answer in Welsh.");
    let resources = Resources::load(&ResourcePlaces {
        project_is_trusted: true,
        ..ResourcePlaces::new(place.path(""), None)
    });
    assert_eq!(resources.diagnostics, []);
    let prompt = || SystemPrompt::of_resources(&resources, None, Vec::new());
    let session = |prompt| place.builder().system_prompt(prompt).build().unwrap();
    let text = session(prompt()).system_prompt();
    let folder = place.path("");
    let folder = folder.to_str().unwrap().trim_end_matches('/');
    insta::assert_snapshot!(text.replace(folder, "CWD"), @r#"
    You are Deed, an agent that does work on a person's computer through tools. You read before you change, change only what was asked for, and check the result. A tool call that fails comes back as an error: read it, mend the call or choose another way, and tell the person when you cannot go on.

    Available tools:
    - read: Read files, text and pictures
    - bash: Run shell commands: search, list, build, test, use git
    - edit: Change files by replacing exact pieces of text
    - write: Create files or replace their whole content

    There may be other tools as well; what each does is in its description.

    Guidelines:
    - Use the shell to list and search files (ls, rg, find)
    - Look into files with read, not with cat, head or sed in a shell
    - A bash command is stopped after 600 seconds; give one that needs longer its own timeout, and start servers in the background
    - Put all changes of one file into one edit call, one item of edits each
    - Keep the old text of an edit short, yet long enough to occur only once, and let no two edits overlap
    - Use write for new files and complete rewrites; for all else use edit
    - Keep your answers short
    - Give the path of each file that you talk about

    Answer in Welsh.

    <project_context>
    Written down by people for work in these folders. Where two files differ, the later one holds.

    <context_file path="CWD/AGENTS.md">
    Tests run with `make test`.
    </context_file>
    </project_context>

    Skills:
    - release: Cuts a release. Use when asked to release. [CWD/.deed/skills/release/SKILL.md]

    When a task fits the description of a skill, first read its file, which is named in brackets, with the read tool, and follow it. Paths in it start from the folder it is in.

    Working folder: CWD
    "#);
    assert_eq!(
        text,
        session(prompt()).system_prompt(),
        "nothing in it changes by itself"
    );
    let replaced = SystemPrompt {
        replacement: Some("You are a parrot.".to_owned()),
        ..prompt()
    };
    let kept = |text: &str| text.split_once("Answer in Welsh.").unwrap().1.to_owned();
    let replaced = session(replaced).system_prompt();
    assert!(replaced.starts_with("You are a parrot.\n\nAnswer in Welsh.\n\n<project_context>"));
    assert_eq!(kept(&replaced), kept(&text));
}
