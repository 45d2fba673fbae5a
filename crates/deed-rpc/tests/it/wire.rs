//! The other end of the wire.

use std::future::Future;
use std::io::{PipeWriter, Write, pipe};
use std::sync::Arc;
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_rpc::{Client, LineSink, Lines, ServeOptions, SessionHost, serve};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::host::{Play, TestHost};

/// How long anything may take that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client, what it sends and what it has read.
pub(crate) struct Wire {
    pub(crate) host: Arc<TestHost>,
    /// All records that were read, in order.
    pub(crate) seen: Vec<Value>,
    pub(crate) stop: CancellationToken,
    input: Option<PipeWriter>,
    output: mpsc::Receiver<String>,
    serving: JoinHandle<()>,
    next_id: usize,
}

struct Out(mpsc::Sender<String>);

impl LineSink for Out {
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool> {
        Box::pin(async move { self.0.send(line).await.is_ok() })
    }
}

pub(crate) async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(done) => done,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

impl Wire {
    pub(crate) async fn start(play: Play) -> Self {
        let (out, output) = mpsc::channel(play.room);
        let client = Client::new(Arc::new(Out(out)));
        let host = Arc::new(TestHost::new(play, client.clone()));
        let (reader, input) = pipe().unwrap();
        let lines = Lines::read(reader).unwrap();
        let stop = CancellationToken::new();
        let options = ServeOptions {
            with_cards: host.play.with_cards,
            stop: stop.clone(),
        };
        let first = host.first().await;
        let serves: Arc<dyn SessionHost> = host.clone();
        let serving = tokio::spawn(serve(client, lines, serves, first, options));
        Self {
            host,
            seen: Vec::new(),
            stop,
            input: Some(input),
            output,
            serving,
            next_id: 0,
        }
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, record: Value) {
        self.send_raw(format!("{record}\n").as_bytes());
    }

    /// Reads the next record.
    pub(crate) async fn next(&mut self) -> Value {
        let line = in_time("a record", self.output.recv()).await;
        let line = line.expect("the output has ended");
        assert!(line.ends_with('\n') && !line[..line.len() - 1].contains('\n'));
        let record: Value = serde_json::from_str(&line).unwrap();
        self.seen.push(record.clone());
        record
    }

    /// Reads until a record is what is looked for.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let record = self.next().await;
            if is_it(&record) {
                return record;
            }
        }
    }

    pub(crate) async fn until_type(&mut self, kind: &str) -> Value {
        self.until(|record| record["type"] == kind).await
    }

    /// Reads until the next question.
    pub(crate) async fn question(&mut self) -> Value {
        self.until_type("extension_ui_request").await
    }

    pub(crate) fn answer(&mut self, question: &Value, answer: Value) {
        let mut record = json!({ "type": "extension_ui_response", "id": question["id"] });
        for (name, value) in answer.as_object().unwrap() {
            record[name] = value.clone();
        }
        self.send(record);
    }

    /// Sends a command with an id of its own, which is returned.
    pub(crate) fn begin(&mut self, mut command: Value) -> String {
        self.next_id += 1;
        let id = format!("c{}", self.next_id);
        command["id"] = id.as_str().into();
        self.send(command);
        id
    }

    /// Reads until the answer to a command.
    pub(crate) async fn response(&mut self, id: &str) -> Value {
        self.until(|record| record["type"] == "response" && record["id"] == id)
            .await
    }

    /// Sends a command and returns its answer.
    pub(crate) async fn ask(&mut self, command: Value) -> Value {
        let id = self.begin(command);
        self.response(&id).await
    }

    /// Sends a command that must work, and returns its data.
    #[track_caller]
    pub(crate) fn ok(&mut self, command: Value) -> impl Future<Output = Value> {
        async move {
            let response = self.ask(command.clone()).await;
            assert_eq!(response["success"], true, "{command}: {response}");
            assert_eq!(response["command"], command["type"]);
            response["data"].clone()
        }
    }

    /// Sends a command that must not work, and returns the error.
    pub(crate) async fn refused(&mut self, command: Value) -> String {
        let response = self.ask(command.clone()).await;
        assert_eq!(response["success"], false, "{command}: {response}");
        response["error"].as_str().unwrap().to_owned()
    }

    /// Prompts and reads until all is over.
    pub(crate) async fn prompt(&mut self, text: &str) {
        let command = json!({ "type": "prompt", "message": text });
        let data = self.ok(command).await;
        assert_eq!(data["disposition"], "started");
        self.until_type("agent_settled").await;
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn stop_reading(&mut self) {
        self.output.close();
    }

    /// Waits until nobody serves any more, and returns what else was sent.
    pub(crate) async fn ended(mut self) -> (Arc<TestHost>, Vec<Value>) {
        in_time("the end of serving", &mut self.serving)
            .await
            .unwrap();
        let mut rest = Vec::new();
        while let Ok(line) = self.output.try_recv() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        (self.host, rest)
    }

    /// Ends the input and waits for the end.
    pub(crate) async fn end(mut self) -> (Arc<TestHost>, Vec<Value>) {
        self.close_input();
        self.ended().await
    }
}

/// The types of records, with what tells them apart.
pub(crate) fn kinds(records: &[Value]) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records
        .iter()
        .map(|record| {
            let kind = word(&record["type"]);
            let more = match kind.as_str() {
                "response" => word(&record["command"]),
                "message_start" | "message_end" => word(&record["message"]["role"]),
                "message_update" => word(&record["assistantMessageEvent"]["type"]),
                "tool_execution_start" | "tool_execution_update" | "tool_execution_end" => {
                    word(&record["toolCallId"])
                }
                "extension_ui_request" => word(&record["method"]),
                _ => return kind,
            };
            format!("{kind} {more}")
        })
        .collect()
}

pub(crate) fn say(text: &str) -> Value {
    json!({ "say": text })
}

pub(crate) fn calling(name: &str, arguments: Value) -> Value {
    json!({ "calls": [{ "name": name, "arguments": arguments }] })
}

pub(crate) fn command(text: &str) -> Value {
    calling("bash", json!({ "command": text }))
}
