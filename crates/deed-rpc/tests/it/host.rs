//! A program round the server: it makes sessions in a folder of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_extensions::Extension;
use deed_guard::audit::{AuditConfig, AuditLog, Filter, read};
use deed_guard::policy::{Ground, PermissionMode, Policy, PolicyInput, PolicyText, Tier};
use deed_guard::trust::StoredRules;
use deed_guard::{GuardConfig, GuardGate};
use deed_harness::{AgentSession, ResourcePlaces, Resources};
use deed_models::{Api, ModelSpec, Prices, Quirks, Script, ScriptedModel};
use deed_protocol::{AssistantMessage, ThinkingLevel};
use deed_rpc::{Client, DrainModes, HostError, Hosted, SessionHost, Wanted};
use deed_session::{Session, SessionStore, StoreConfig};
use deed_testing::Workplace;
use deed_tooling::ToolDefinition;
use deed_tools::ToolSettings;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a test wants of its sessions.
pub(crate) struct Play {
    /// The script of each session in the order in which they are opened; the last one goes for the rest.
    pub(crate) scripts: Vec<Value>,
    /// The rules, if there is a guard.
    pub(crate) permissions: Option<Value>,
    pub(crate) extensions: Vec<Arc<dyn Extension>>,
    pub(crate) tools: Vec<Arc<dyn ToolDefinition>>,
    pub(crate) models: Vec<ModelSpec>,
    /// Templates, by name.
    pub(crate) prompts: HashMap<&'static str, &'static str>,
    /// Skills, by name, with what they say.
    pub(crate) skills: HashMap<&'static str, &'static str>,
    /// How the tools act.
    pub(crate) settings: ToolSettings,
    pub(crate) with_cards: bool,
    /// Lines that may wait for the test to read them.
    pub(crate) room: usize,
}

impl Play {
    /// Sessions that play an array of turns.
    pub(crate) fn new(script: Value) -> Self {
        Self {
            scripts: vec![script],
            permissions: None,
            extensions: Vec::new(),
            tools: Vec::new(),
            models: Vec::new(),
            prompts: HashMap::new(),
            skills: HashMap::new(),
            settings: ToolSettings::default(),
            with_cards: false,
            room: 100_000,
        }
    }

    /// The same, under a guard.
    pub(crate) fn guarded(script: Value, permissions: Value) -> Self {
        Self {
            permissions: Some(permissions),
            ..Self::new(script)
        }
    }
}

pub(crate) struct TestHost {
    pub(crate) play: Play,
    pub(crate) store: SessionStore,
    pub(crate) ended: Arc<AtomicUsize>,
    pub(crate) late: Mutex<Vec<(String, String)>>,
    client: Client,
    opened: AtomicUsize,
    workplace: Workplace,
}

impl TestHost {
    pub(crate) fn new(play: Play, client: Client) -> Self {
        let workplace = Workplace::new();
        let own = workplace.beside("");
        for (name, text) in &play.prompts {
            std::fs::create_dir_all(own.join("user/prompts")).unwrap();
            std::fs::write(own.join(format!("user/prompts/{name}.md")), text).unwrap();
        }
        for (name, text) in &play.skills {
            let folder = own.join("user/skills").join(name);
            let head = format!("---\nname: {name}\ndescription: A skill\n---\n");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), head + text).unwrap();
        }
        Self {
            play,
            store: SessionStore::new(StoreConfig::new(own.join("sessions"))),
            ended: Arc::default(),
            late: Mutex::default(),
            client,
            opened: AtomicUsize::new(0),
            workplace,
        }
    }

    fn own(&self, name: &str) -> PathBuf {
        self.workplace.beside(name)
    }

    /// A path in the folder that sessions work in.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.workplace.path(name)
    }

    pub(crate) fn count(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// Where skills and templates are.
    pub(crate) fn resource_places(&self) -> ResourcePlaces {
        ResourcePlaces::new(self.path(""), Some(self.own("user")))
    }

    /// Opens the first session.
    pub(crate) async fn first(&self) -> Hosted {
        let record = self.store.create(&self.path(""), None).unwrap();
        self.hosted(record).await.unwrap()
    }

    fn model(&self) -> Arc<dyn Model> {
        let at = self.opened.fetch_add(1, Ordering::Relaxed);
        let scripts = &self.play.scripts;
        let script = scripts.get(at).or(scripts.last()).unwrap();
        let script = Script::parse(&script.to_string()).unwrap();
        Arc::new(ScriptedModel::new(script, || 0))
    }

    async fn hosted(&self, record: Session) -> Result<Hosted, HostError> {
        let mut builder = self
            .workplace
            .builder()
            .settings(self.play.settings.clone())
            .ui(Arc::new(self.client.ui()))
            .control(Arc::new(self.client.control()))
            .identity("run", Some(self.own("output")))
            .record(record)
            .model(self.model());
        for tool in &self.play.tools {
            builder = builder.tool(tool.clone());
        }
        for extension in &self.play.extensions {
            builder = builder.extension(extension.clone());
        }
        if let Some(permissions) = &self.play.permissions {
            builder = builder.guard(&self.gate(permissions));
        }
        let session = builder.build_to_start().await.map_err(told)?;
        let places = self.resource_places();
        let ended = self.ended.clone();
        Ok(Hosted {
            resources: Arc::new(Resources::load(&places)),
            drain_modes: DrainModes::default(),
            end: Box::new(move || {
                ended.fetch_add(1, Ordering::Relaxed);
            }),
            ..Hosted::new(session)
        })
    }

    fn gate(&self, permissions: &Value) -> GuardGate {
        let text = json!({ "version": 1, "permissions": permissions }).to_string();
        let policy = Policy::build(PolicyInput {
            files: vec![PolicyText::new(Tier::User, "policy.json", text)],
            ground: Ground {
                workspace: vec![self.path("")],
                ..Ground::default()
            },
            mode: Some(PermissionMode::Default),
        });
        let audit = AuditConfig::new(self.own("audit"), "s1", "boot");
        let mut config = GuardConfig::new(policy.unwrap());
        config.approver = Arc::new(self.client.approver());
        config.audit = Some(Arc::new(AuditLog::open(audit).unwrap().0));
        config.run = "r1".into();
        let rules = StoredRules::load(self.own("rules.json")).unwrap();
        config.stored_rules = Some(Arc::new(Mutex::new(rules)));
        GuardGate::new(config)
    }

    /// Returns the audit record.
    pub(crate) fn records(&self) -> Vec<Value> {
        let shown = read(&self.own("audit"), Filter::default()).unwrap();
        let records = shown.map(|one| serde_json::from_str(one.unwrap().record.get()).unwrap());
        records.collect()
    }

    /// Returns the answers to approvals, as they are on record.
    pub(crate) fn answers(&self) -> Vec<Value> {
        self.records()
            .into_iter()
            .filter(|record: &Value| record["event"] == "approval")
            .map(|record| record["approval"].clone())
            .collect()
    }
}

fn told(error: impl std::fmt::Display) -> HostError {
    HostError(error.to_string())
}

impl SessionHost for TestHost {
    fn open<'a>(&'a self, wanted: Wanted) -> BoxFuture<'a, Result<Hosted, HostError>> {
        Box::pin(async move {
            let record = match wanted {
                Wanted::New { parent } => {
                    let parent = parent.as_deref();
                    self.store.create(&self.path(""), parent).map_err(told)?
                }
                Wanted::File(path) => self.store.open(&path).map_err(told)?,
                Wanted::Record(record) => *record,
            };
            self.hosted(record).await
        })
    }

    fn models<'a>(&'a self) -> BoxFuture<'a, Vec<ModelSpec>> {
        Box::pin(async { self.play.models.clone() })
    }

    fn make_model(
        &self,
        spec: ModelSpec,
        _session: &AgentSession,
    ) -> Result<Arc<dyn Model>, HostError> {
        Ok(Arc::new(Named::of(&spec)))
    }

    fn export<'a>(
        &'a self,
        session: &'a AgentSession,
        to: Option<&'a Path>,
    ) -> BoxFuture<'a, Result<PathBuf, HostError>> {
        Box::pin(async move {
            let usual = || session.cwd().join("export.html");
            let path = to.map_or_else(usual, Path::to_owned);
            std::fs::write(&path, "a page").map_err(told)?;
            Ok(path)
        })
    }

    fn late_answer(&self, approval_id: &str, answer: &str) {
        let late = (approval_id.to_owned(), answer.to_owned());
        self.late.lock().unwrap().push(late);
    }
}

/// A model that says its own name.
struct Named {
    info: ModelInfo,
    inner: ScriptedModel,
}

impl Named {
    fn of(spec: &ModelSpec) -> Self {
        let turns = json!([{ "say": &*spec.id }, { "say": &*spec.id }]);
        Self {
            info: ModelInfo {
                api: "test".into(),
                provider: spec.provider.clone(),
                id: spec.id.clone(),
                takes_images: spec.takes_images,
                context_window: spec.context_window,
                max_output_tokens: spec.max_output_tokens,
            },
            inner: ScriptedModel::new(Script::parse(&turns.to_string()).unwrap(), || 0),
        }
    }
}

impl Model for Named {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.inner.respond(request, deltas, cancel)
    }
}

pub(crate) fn spec(id: &str, thinking_levels: &[ThinkingLevel]) -> ModelSpec {
    ModelSpec {
        provider: "acme".into(),
        id: id.into(),
        name: id.to_uppercase().into(),
        api: Api::Chat,
        base_url: "http://127.0.0.1:1".to_owned(),
        headers: Vec::new(),
        extra_body: Map::new(),
        context_window: 1000,
        max_output_tokens: 100,
        takes_images: false,
        thinking_levels: thinking_levels.to_vec(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    }
}
