use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_extensions::{Extension, Failure, FlagValue, HostOptions};
use deed_harness::AgentSession;
use deed_protocol::{ContentBlock, Message};
use deed_rpc::{EventSink, LineSink};
use deed_session::compaction::CompactionSettings;
use deed_session::{SessionStore, StoreConfig};
use deed_typescript::{LogLevel, ScriptExtension, ScriptOptions};
use serde_json::Value;

use crate::models::Models;
use crate::person::{Log, Person};
use crate::row::Row;
use crate::watched::Watched;
use crate::{provider, steps};

/// How long one example may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Plays a row, and returns what was said.
pub(crate) async fn play(examples: &Path, row: &Row) -> Vec<String> {
    let log = Log::default();
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    prepare(&root, row);
    let playing = plays(examples, row, &root, &log);
    if tokio::time::timeout(LIMIT, playing).await.is_err() {
        log.add(format!(
            "failure it takes longer than {} s",
            LIMIT.as_secs()
        ));
    }
    let outside = row.files.keys().filter(|name| name.starts_with('/'));
    for name in outside {
        std::fs::remove_file(name).ok();
    }
    let root = root.to_string_lossy();
    log.lines()
        .iter()
        .map(|line| line.replace(&*root, "ROOT"))
        .collect()
}

fn prepare(root: &Path, row: &Row) {
    for (name, text) in &row.files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        if text.starts_with("#!") {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("a program");
        }
    }
    if row.git {
        git(root, &["init", "-q"]);
        git(root, &["config", "user.email", "somebody@example.org"]);
        git(root, &["config", "user.name", "Somebody"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "first", "--allow-empty"]);
    }
    for line in &row.setup {
        let mut shell = Command::new("sh");
        shell.args(["-ec", line]).current_dir(root);
        assert!(shell.status().expect("sh").success(), "{line}");
    }
}

fn git(root: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(root).stdin(Stdio::null());
    assert!(git.status().expect("git").success(), "git {arguments:?}");
}

/// The file or folder of an example.
fn file_of(examples: &Path, name: &str) -> PathBuf {
    let file = examples.join(format!("{name}.ts"));
    if file.is_file() {
        return file;
    }
    let folder = examples.join(name);
    ["index.ts", "src/index.ts"]
        .iter()
        .map(|file| folder.join(file))
        .find(|file| file.is_file())
        .unwrap_or(folder)
}

fn options(row: &Row, root: &Path, log: &Log) -> ScriptOptions {
    let mut options = ScriptOptions::new(root);
    options.temp = root.to_owned();
    let path = search_path(root).to_string_lossy().into_owned();
    options.env = [
        ("PATH".to_owned(), path),
        ("LANG".to_owned(), "C".to_owned()),
    ]
    .into();
    options.mode = if row.answers.is_some() {
        "rpc"
    } else {
        "print"
    }
    .to_owned();
    let heard = log.clone();
    options.notices = Arc::new(move |notice| {
        let kind = match notice.level {
            LogLevel::Error => "failure",
            _ => "log",
        };
        heard.add(format!("{kind} {}", notice.text));
    });
    options
}

async fn plays(examples: &Path, row: &Row, root: &Path, log: &Log) {
    let session = session(examples, row, root, log).await;
    for diagnostic in session.diagnostics() {
        log.add(format!("diagnostic {diagnostic}"));
    }
    for command in session.commands() {
        log.add(format!(
            "command {} {}",
            command.invocation, command.description
        ));
    }
    for tool in session.registry().get_all_tools() {
        if tool
            .source_info
            .path
            .starts_with(&*examples.to_string_lossy())
        {
            log.add(format!("tool {}", tool.name));
        }
    }
    let sink = EventSink::new(Arc::new(Cards(log.clone()))).with_cards_of(&session);
    session.add_sink(Arc::new(sink));
    for step in &row.steps {
        steps::step(&session, step, root, log).await;
    }
    session.close().await;
    for message in session.agent().messages() {
        told(&message, log);
    }
}

async fn session(examples: &Path, row: &Row, root: &Path, log: &Log) -> AgentSession {
    let env: Arc<dyn ExecutionEnv> = Arc::new(LocalEnv::new(LocalConfig {
        output_folder: root.join("output"),
        cwd: root.to_owned(),
        home: Some(root.to_owned()),
        variables: vec![
            ("PATH".into(), search_path(root)),
            ("HOME".into(), root.into()),
        ],
        ..LocalConfig::default()
    }));
    let model = if row.remote {
        Watched::new(Arc::new(provider::model().await), log)
    } else {
        Watched::scripted(&row.turns, log)
    };
    let flags = row.flags.iter().filter_map(|(name, value)| {
        let value = match value {
            Value::Bool(on) => FlagValue::Switch(*on),
            value => FlagValue::Text(value.as_str()?.to_owned()),
        };
        Some((name.clone(), value))
    });
    let host = HostOptions {
        flags: flags.collect(),
        ..HostOptions::default()
    };
    let store = SessionStore::new(StoreConfig::new(root.join("sessions")));
    let record = store.in_memory(root).expect("a record");
    let extension = ScriptExtension::new(file_of(examples, &row.name), options(row, root, log));
    let mut builder = AgentSession::builder(env)
        .model(Arc::new(model))
        .record(record)
        .extension_options(host)
        .models(Arc::new(Models {
            names: row.models.clone(),
            log: log.clone(),
        }))
        .compaction(CompactionSettings {
            // A long answer is enough to have something to compact.
            keep_recent_tokens: 100,
            ..CompactionSettings::default()
        })
        .extension(Arc::new(extension) as Arc<dyn Extension>);
    if let Some(answers) = &row.answers {
        builder = builder.ui(Arc::new(Person {
            answers: Mutex::new(answers.clone().into()),
            log: log.clone(),
        }));
    }
    let session = builder.build_to_start().await.expect("a session");
    let heard = log.clone();
    session.extensions().on_failure(move |failure: &Failure| {
        heard.add(format!("failure {}: {}", failure.event, failure.error));
    });
    session.tell_start(Default::default()).await;
    session
}

/// Programs of the row come first.
fn search_path(root: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::iter::once(root.join("bin"));
    std::env::join_paths(own.chain(std::env::split_paths(&path))).unwrap_or(path)
}

fn told(message: &Message, log: &Log) {
    match message {
        Message::ToolResult(result) => {
            let texts = result.content.iter().filter_map(ContentBlock::as_text);
            let verb = if result.is_error { "fails" } else { "says" };
            let text = texts.collect::<Vec<_>>().join("|");
            log.add(format!("{} {verb} {text}", result.tool_name));
        }
        Message::Custom(message) => log.add(format!(
            "custom {} {}",
            message.custom_type,
            serde_json::to_string(&message.content).unwrap_or_default()
        )),
        _ => {}
    }
}

/// Says what cards of a stream of events show.
struct Cards(Log);

impl LineSink for Cards {
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool> {
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        let blocks = event["card"]["blocks"].as_array();
        if let Some(blocks) = blocks {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            let text = texts.collect::<Vec<_>>().join("|");
            let kind = event["type"].as_str().unwrap_or_default();
            self.0.add(format!("card {kind} {text}"));
        }
        Box::pin(async { true })
    }
}
