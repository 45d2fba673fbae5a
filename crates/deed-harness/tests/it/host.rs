use std::borrow::Cow;
use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use deed_agent::{
    AllowAll, Allowed, Answer, BoxFuture, CallOutcome, Committed, FrozenCall, Gate, Question,
    RedactStream, Redactor, Verdict,
};
use deed_protocol::{SourceInfo, ToolResult};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, host_tool, run_calls, text_of};

/// Allows everything and notes where each tool comes from.
#[derive(Default)]
struct Sources(Mutex<Vec<SourceInfo>>);

impl Gate for Sources {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        self.0
            .lock()
            .unwrap()
            .push(SourceInfo::clone(call.source()));
        AllowAll.decide(call)
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        AllowAll.ask(call, question, cancel)
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        AllowAll.commit(batch)
    }

    fn outcome<'a>(
        &'a self,
        call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        AllowAll.outcome(call, outcome)
    }
}

#[tokio::test]
async fn a_tool_of_the_host_takes_the_place_of_a_built_in_under_its_own_source() {
    let place = Place::new();
    place.put("a", "the file\n");
    let sources = Arc::new(Sources::default());
    let read = host_tool("read", |_| ToolResult::text("the host's answer"));
    let builder = place.builder().gate(sources.clone());
    let session = builder.tool(read.shared()).build().unwrap();
    let calls = [
        ("read", json!({ "path": "a" })),
        ("bash", json!({ "command": "cat a" })),
    ];
    let results = run_calls(&session, &calls).await;
    assert_eq!(text_of(&results[0]), "the host's answer");
    assert!(text_of(&results[1]).contains("the file"));
    assert_eq!(
        *sources.0.lock().unwrap(),
        [SourceInfo::sdk("read"), SourceInfo::builtin("bash")]
    );
    let tool = session.registry().get("read").unwrap();
    assert_eq!(&*tool.source().path, "<sdk:read>");
    let rows = session.registry().explain();
    let row = rows.iter().find(|row| &*row.name == "read").unwrap();
    assert_eq!(*row.replaces[0], SourceInfo::builtin("read"));
    assert_eq!(
        rows.iter().filter(|row| &*row.name == "read").count(),
        1,
        "there is one tool of a name"
    );
}

#[tokio::test]
async fn two_tools_of_the_host_with_one_name_are_one_the_later() {
    let place = Place::new();
    let tool = |text: &'static str| host_tool("twin", move |_| ToolResult::text(text)).shared();
    let builder = place.builder().tool(tool("first")).tool(tool("second"));
    let session = builder.build().unwrap();
    let results = run_calls(&session, &[("twin", json!({}))]).await;
    assert_eq!(text_of(&results[0]), "second");
}

fn numbered_lines(bytes: usize) -> String {
    let mut text = String::new();
    let mut line = 0;
    while text.len() < bytes {
        line += 1;
        text.push_str(&format!("row {line:07}\n"));
    }
    text
}

/// Returns the path that the text of a result ends with.
fn named_path(text: &str) -> PathBuf {
    let (_, path) = text.rsplit_once("the whole text is in ").unwrap();
    PathBuf::from(path.trim_end_matches(']'))
}

#[tokio::test]
async fn text_of_any_tool_that_is_too_long_can_be_read_to_its_end() {
    let place = Place::new();
    let whole = numbered_lines(1024 * 1024);
    let text = whole.clone();
    let talks = host_tool("talk", move |_| ToolResult::text(text.clone()));
    let session = place.builder().tool(talks.shared()).build().unwrap();
    let results = run_calls(&session, &[("talk", json!({}))]).await;
    let said = text_of(&results[0]);
    assert!(!results[0].is_error);
    assert!(said.len() < 300 * 1024, "{} bytes", said.len());
    assert!(said.starts_with("row 0000001\n"));
    let path = named_path(&said);
    assert!(path.starts_with(place.output_folder()), "{path:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let last = whole.lines().count();
    let rest = json!({ "path": path, "offset": last });
    let results = run_calls(&session, &[("read", rest)]).await;
    let text = text_of(&results[0]);
    assert!(text.contains(&format!("row {last:07}")), "{text}");
}

#[tokio::test]
async fn what_is_too_long_stays_bounded_where_it_cannot_be_saved() {
    let place = Place::new();
    let blocked = place.output_folder();
    std::fs::write(&blocked, "no folder").unwrap();
    let talks = host_tool("talk", |_| ToolResult::text(numbered_lines(1024 * 1024)));
    let session = place.builder().tool(talks.shared()).build().unwrap();
    let results = run_calls(&session, &[("talk", json!({}))]).await;
    let said = text_of(&results[0]);
    assert!(said.len() < 300 * 1024);
    assert!(said.ends_with("ask for less at a time]"));
}

#[tokio::test]
async fn b173_what_is_cut_is_kept_on_disk_and_not_in_memory() {
    const CALLS: usize = 20;
    let place = Place::new();
    let talks = host_tool("talk", |_| ToolResult::text("x".repeat(5_000_000)));
    let calls: Vec<Value> = (0..CALLS).map(|_| json!({ "name": "talk" })).collect();
    let script = json!([{ "calls": calls }, { "say": "done" }]);
    let played = place
        .play(script, |builder| builder.tool(talks.shared()))
        .await;
    let kept: usize = played
        .session
        .agent()
        .messages()
        .iter()
        .map(|message| serde_json::to_string(message).unwrap().len())
        .sum();
    assert!(kept < CALLS * 300 * 1024, "{kept} bytes");
    let mut paths = HashSet::new();
    for result in played.results() {
        let path = named_path(&text_of(&result));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 5_000_000);
        paths.insert(path);
    }
    assert_eq!(paths.len(), CALLS, "each has a file of its own");
}

struct Hides(&'static str);

impl Redactor for Hides {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        Some(Box::new(Hiding {
            secret: self.0,
            held: Vec::new(),
        }))
    }
}

/// Holds everything back to the end.
struct Hiding {
    secret: &'static str,
    held: Vec<u8>,
}

impl RedactStream for Hiding {
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.held.extend_from_slice(bytes);
        Cow::Borrowed(&[])
    }

    fn finish(&mut self) -> Vec<u8> {
        let text = String::from_utf8(std::mem::take(&mut self.held)).unwrap();
        text.replace(self.secret, "[redacted]").into_bytes()
    }
}

#[tokio::test]
async fn known_secrets_do_not_reach_the_saved_text() {
    let place = Place::new();
    let talks = host_tool("talk", |_| {
        ToolResult::text(format!("{}hunter2\n", numbered_lines(1024 * 1024)))
    });
    let builder = place.builder().redactor(Arc::new(Hides("hunter2")));
    let session = builder.tool(talks.shared()).build().unwrap();
    let results = run_calls(&session, &[("talk", json!({}))]).await;
    let saved = std::fs::read_to_string(named_path(&text_of(&results[0]))).unwrap();
    assert!(saved.ends_with("[redacted]\n"));
    assert!(!saved.contains("hunter2"));
}
