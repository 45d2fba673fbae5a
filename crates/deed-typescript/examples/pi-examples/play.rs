use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_extensions::{Extension, Failure, FlagValue, ForkPosition, HostOptions, SwitchReason};
use deed_harness::AgentSession;
use deed_models::{Script, ScriptedModel};
use deed_protocol::{AssistantMessage, ContentBlock, Message};
use deed_session::{SessionStore, StoreConfig};
use deed_typescript::{LogLevel, ScriptExtension, ScriptOptions};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::person::{Log, Person};
use crate::row::Row;

/// How long one example may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Plays a row, and returns what was said.
pub(crate) async fn play(examples: &Path, row: &Row) -> Vec<String> {
    let log = Log::default();
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a folder");
    prepare(&root, row);
    let playing = steps(examples, row, &root, &log);
    if tokio::time::timeout(LIMIT, playing).await.is_err() {
        log.add(format!(
            "failure it takes longer than {} s",
            LIMIT.as_secs()
        ));
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
    options.env = ["PATH", "LANG"]
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect();
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

async fn steps(examples: &Path, row: &Row, root: &Path, log: &Log) {
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
    for step in &row.steps {
        step_of(&session, step, root, log).await;
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
    let mut turns = row.turns.clone();
    if turns.is_empty() {
        turns.push(serde_json::json!({ "say": "nothing to say" }));
    }
    let script = Script::parse(&Value::from(turns).to_string()).expect("turns");
    let model = Watched {
        inner: ScriptedModel::new(script, || 0),
        log: log.clone(),
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
        .extension(Arc::new(extension) as Arc<dyn Extension>);
    if let Some(answers) = &row.answers {
        builder = builder.ui(Arc::new(Person {
            answers: Mutex::new(answers.clone().into()),
            log: log.clone(),
        }));
    }
    let session = builder.build_with_extensions().await.expect("a session");
    let heard = log.clone();
    session.extensions().on_failure(move |failure: &Failure| {
        heard.add(format!("failure {}: {}", failure.event, failure.error));
    });
    session
}

/// Programs of the row come first.
fn search_path(root: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::iter::once(root.join("bin"));
    std::env::join_paths(own.chain(std::env::split_paths(&path))).unwrap_or(path)
}

async fn step_of(session: &AgentSession, step: &str, root: &Path, log: &Log) {
    if let Some(command) = step.strip_prefix('/') {
        let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
        if let Err(error) = session.run_command(name, arguments).await {
            log.add(format!("failure command {error}"));
        }
        return settled(session).await;
    }
    if let Some((file, text)) = step.split_once('=') {
        std::fs::write(root.join(file), text).expect("a file");
        return;
    }
    if let Some(what) = step.strip_prefix('!') {
        let happens = match what {
            "switch" => session.may_switch(SwitchReason::New, None).await,
            _ => session.may_fork("0123456789", ForkPosition::Before).await,
        };
        let said = if happens { "goes on" } else { "is stopped" };
        log.add(format!("{what} {said}"));
        return;
    }
    let prompted = session.prompt(vec![Message::user(step, 0)]).await;
    if let Ok(end) = prompted
        && let Some(error) = end.error
    {
        log.add(format!("failure run {error}"));
    }
}

/// Waits for a run that a command began.
async fn settled(session: &AgentSession) {
    // Whether one begins shows a moment later.
    tokio::time::sleep(Duration::from_millis(50)).await;
    session.idle().await;
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

/// The scripted model, with a record of what it is asked.
struct Watched {
    inner: ScriptedModel,
    log: Log,
}

impl Model for Watched {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        let mut asked = request.messages.iter().rev();
        let last = asked.find(|message| matches!(&***message, Message::User(_)));
        let prompt = last.map(|last| serde_json::to_string(last).unwrap_or_default());
        self.log
            .add(format!("prompted {}", prompt.unwrap_or_default()));
        self.log.add(format!("system {}", request.system));
        let names = request.tools.names();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        self.log.add(format!("tools {}", names.join(" ")));
        self.inner.respond(request, deltas, cancel)
    }
}
