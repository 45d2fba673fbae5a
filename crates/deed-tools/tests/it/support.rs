//! Calls of the built-in tools through the real runner, on a real environment in a folder of its
//! own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use deed_agent::{
    AgentTool, Batch, BatchRunner, EventBus, Gate, ModelInfo, Observer, Redactor, Seams, ToolSet,
};
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_protocol::{
    AssistantMessage, ContentBlock, Event, EventBody, Message, StopReason, ToolCall, ToolResult,
    ToolResultMessage,
};
use deed_tooling::{ContextSource, wrap_tool_definition};
use deed_tools::{ToolBasis, ToolSettings, create_all_tool_definitions};
use serde_json::Value;
use serde_json::value::to_raw_value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder with the built-in tools in it.
pub(crate) struct Bench {
    tools: Arc<ToolSet>,
    runner: BatchRunner,
    bus: EventBus,
    root: PathBuf,
    output_root: PathBuf,
    _folders: [TempDir; 2],
}

/// What a bench is made from.
pub(crate) struct Parts {
    pub(crate) config: LocalConfig,
    pub(crate) settings: ToolSettings,
    pub(crate) redactor: Option<Arc<dyn Redactor>>,
    pub(crate) gate: Option<Arc<dyn Gate>>,
    pub(crate) model: Option<ModelInfo>,
    /// Stands between the tools and the environment.
    pub(crate) wrap: Option<Wrap>,
}

type Wrap = Box<dyn FnOnce(Arc<dyn ExecutionEnv>) -> Arc<dyn ExecutionEnv>>;

impl Parts {
    /// Makes programs be looked for here, then where they were.
    pub(crate) fn look_first_in(&mut self, folder: &Path) {
        let (_, path) = self.config.variables.first_mut().unwrap();
        *path = std::env::join_paths(
            std::iter::once(folder.to_owned()).chain(std::env::split_paths(path)),
        )
        .unwrap();
    }
}

/// A call that was answered.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) result: ToolResultMessage,
    /// What it showed on the way.
    pub(crate) updates: Vec<Arc<ToolResult>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// Makes a bench of changed parts.
    pub(crate) fn with(change: impl FnOnce(&mut Parts)) -> Self {
        let (folder, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path().canonicalize().unwrap();
        let output_root = output.path().canonicalize().unwrap();
        let config = LocalConfig {
            cwd: root.clone(),
            output_folder: output_root.clone(),
            variables: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            ..LocalConfig::default()
        };
        let mut parts = Parts {
            config,
            settings: ToolSettings::default(),
            redactor: None,
            gate: None,
            model: None,
            wrap: None,
        };
        change(&mut parts);
        let cwd = parts.config.cwd.clone();
        let mut env: Arc<dyn ExecutionEnv> = Arc::new(LocalEnv::new(parts.config));
        if let Some(wrap) = parts.wrap {
            env = wrap(env);
        }
        let basis = ToolBasis {
            env,
            settings: Arc::new(parts.settings),
        };
        let source = Arc::new(Surroundings {
            cwd,
            model: parts.model,
        });
        let tools = create_all_tool_definitions(&basis)
            .into_iter()
            .map(|tool| -> Arc<dyn AgentTool> { wrap_tool_definition(tool, source.clone()) });
        let bus = EventBus::new();
        let mut seams = Seams::open(bus.clone(), || 0);
        if let Some(redactor) = parts.redactor {
            seams.redactor = redactor;
        }
        if let Some(gate) = parts.gate {
            seams.gate = gate;
        }
        Self {
            tools: Arc::new(ToolSet::new(tools)),
            runner: BatchRunner::new(seams),
            bus,
            root,
            output_root,
            _folders: [folder, output],
        }
    }

    /// Returns the working folder.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.clone()
    }

    /// Returns where saved output goes.
    pub(crate) fn output_folder(&self) -> PathBuf {
        self.output_root.clone()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Runs one call.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Called {
        let mut called = self.batch([(name, arguments)]).await;
        called.remove(0)
    }

    /// Runs the calls of one message.
    pub(crate) async fn batch<'a>(
        &self,
        calls: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Vec<Called> {
        self.batch_until(calls, CancellationToken::new(), |_| false)
            .await
    }

    /// Runs one call and cancels it as soon as what it shows contains a text.
    pub(crate) async fn call_cancelled_at(
        &self,
        name: &str,
        arguments: Value,
        text: &'static str,
    ) -> Called {
        let is_there = move |update: &ToolResult| update.joined_text().contains(text);
        let token = CancellationToken::new();
        let mut called = self.batch_until([(name, arguments)], token, is_there).await;
        called.remove(0)
    }

    /// Runs the calls of one message and cancels when an update is of a certain kind.
    pub(crate) async fn batch_until<'a>(
        &self,
        calls: impl IntoIterator<Item = (&'a str, Value)>,
        cancel: CancellationToken,
        is_reason: impl Fn(&ToolResult) -> bool + Send + Sync + 'static,
    ) -> Vec<Called> {
        let mut assistant = AssistantMessage::new(StopReason::ToolUse, 0);
        for (index, (name, arguments)) in calls.into_iter().enumerate() {
            let arguments = to_raw_value(&arguments).unwrap();
            let call = ToolCall::new(format!("c{}", index + 1), name, arguments.into());
            assistant.content.push(ContentBlock::ToolCall(call));
        }
        let watch = Arc::new(Watch {
            updates: Mutex::default(),
            cancel: cancel.clone(),
            is_reason: Box::new(is_reason),
        });
        self.bus.add_observer(watch.clone()).unwrap();
        let batch = Batch {
            assistant: Arc::new(Message::Assistant(assistant)),
            tools: self.tools.clone(),
        };
        let outcome = self.runner.run(&batch, &cancel).await;
        self.bus.observers_caught_up().await;
        let updates = std::mem::take(&mut *watch.updates.lock().unwrap());
        let results = outcome
            .results
            .iter()
            .map(|message| match message.as_ref() {
                Message::ToolResult(result) => result.clone(),
                other => panic!("not a result: {other:?}"),
            });
        results
            .map(|result| Called {
                updates: updates
                    .iter()
                    .filter(|(id, _)| *id == result.tool_call_id)
                    .map(|(_, update)| update.clone())
                    .collect(),
                result,
            })
            .collect()
    }
}

struct Surroundings {
    cwd: PathBuf,
    model: Option<ModelInfo>,
}

impl ContextSource for Surroundings {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn model(&self) -> Option<ModelInfo> {
        self.model.clone()
    }
}

struct Watch {
    updates: Mutex<Vec<(Arc<str>, Arc<ToolResult>)>>,
    cancel: CancellationToken,
    is_reason: Box<dyn Fn(&ToolResult) -> bool + Send + Sync>,
}

impl Observer for Watch {
    fn offer(&self, event: &Arc<Event>) {
        if let EventBody::ToolExecutionUpdate {
            tool_call_id,
            partial_result,
            ..
        } = &event.body
        {
            if (self.is_reason)(partial_result) {
                self.cancel.cancel();
            }
            let mut updates = self.updates.lock().unwrap();
            updates.push((tool_call_id.clone(), partial_result.clone()));
        }
    }
}

impl Called {
    /// Returns the text for the model.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .result
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }

    /// Returns the text of a call that succeeded.
    #[track_caller]
    pub(crate) fn ok(&self) -> String {
        assert!(!self.result.is_error, "{}", self.text());
        self.text()
    }

    /// Returns the text of a call that failed.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        assert!(self.result.is_error, "{}", self.text());
        self.text()
    }

    /// Returns a member of the details, null if there is none.
    pub(crate) fn detail(&self, name: &str) -> Value {
        let details = self.result.details.as_ref();
        details
            .and_then(|details| details.get(name))
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the file with the full output.
    #[track_caller]
    pub(crate) fn full_output(&self) -> PathBuf {
        let path = self.detail("fullOutputPath");
        Path::new(path.as_str().expect("a path of the full output")).to_owned()
    }
}
