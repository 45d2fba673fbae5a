use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, RunEnd};
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_extensions::{Extension, Failure, ModelSource};
use deed_guard::GuardGate;
use deed_harness::AgentSession;
use deed_models::{Script, ScriptedModel};
use deed_protocol::{ContentBlock, Message, NoticeLevel, ToolResultMessage};
use deed_session::{Session, SessionStore, StoreConfig};
use deed_tooling::{AskOptions, Ui, WidgetPlace};
use deed_typescript::{LogLevel, Permissions, ScriptExtension, ScriptOptions, ScriptSql};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a test writes down, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A person who agrees, or does not.
pub(crate) struct Person {
    pub(crate) agrees: bool,
    pub(crate) notes: Notes,
}

impl Ui for Person {
    fn has_ui(&self) -> bool {
        true
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        self.notes.add(format!("confirm {title}: {message}"));
        Box::pin(async { self.agrees })
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        self.notes
            .add(format!("select {title}: {}", choices.join(", ")));
        let at = usize::from(!self.agrees);
        Box::pin(async move { choices.get(at).cloned() })
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        _: Option<&'a str>,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        self.notes.add(format!("input {title}"));
        Box::pin(async { Some("text".to_owned()) })
    }

    fn editor<'a>(
        &'a self,
        title: &'a str,
        prefill: Option<&'a str>,
        _: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        self.notes.add(format!("editor {title} {prefill:?}"));
        Box::pin(async { Some("edited".to_owned()) })
    }

    fn notify(&self, message: &str, level: NoticeLevel) {
        self.notes.add(format!("{level:?} {message}"));
    }

    fn status(&self, key: &str, text: Option<&str>) {
        self.notes.add(format!("status {key} {text:?}"));
    }

    fn widget(&self, key: &str, lines: Option<&[String]>, place: WidgetPlace) {
        self.notes.add(format!("widget {key} {lines:?} {place:?}"));
    }

    fn title(&self, title: &str) {
        self.notes.add(format!("title {title}"));
    }

    fn editor_text(&self, text: &str) {
        self.notes.add(format!("editor_text {text:?}"));
    }

    fn working_message(&self, message: Option<&str>) {
        self.notes.add(format!("working {message:?}"));
    }
}

/// A folder with files of extensions, and the session that is to be.
pub(crate) struct Play {
    folder: TempDir,
    root: PathBuf,
    options: ScriptOptions,
    notices: Notes,
    extensions: Vec<PathBuf>,
    person: Option<Arc<Person>>,
    guard: Option<GuardGate>,
    is_recorded: bool,
    model: Option<Arc<dyn Model>>,
    models: Option<Arc<dyn ModelSource>>,
}

impl Play {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let notices = Notes::default();
        let heard = notices.clone();
        let mut options = ScriptOptions::new(&root);
        options.notices = Arc::new(move |notice| {
            if notice.level != LogLevel::Debug {
                heard.add(format!("{:?} {}", notice.level, notice.text));
            }
        });
        Self {
            folder,
            root,
            options,
            notices,
            extensions: Vec::new(),
            person: None,
            guard: None,
            is_recorded: false,
            model: None,
            models: None,
        }
    }

    /// Lets a model answer that plays no script.
    pub(crate) fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(model);
        self
    }

    pub(crate) fn options(mut self, change: impl FnOnce(&mut ScriptOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// Keeps a record of the session.
    pub(crate) fn recorded(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// Writes a file.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Writes a file and loads it as an extension.
    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        let mut play = self.file(name, text);
        let path = play.root.join(name);
        play.extensions.push(path);
        play
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut deed_typescript::Limits)) -> Self {
        change(&mut self.options.limits);
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn sql(mut self, sql: ScriptSql) -> Self {
        self.options.sql = Some(sql);
        self
    }

    /// Puts the session under a guard.
    pub(crate) fn guard(mut self, guard: &GuardGate) -> Self {
        self.guard = Some(guard.clone());
        self
    }

    pub(crate) fn models(mut self, models: Arc<dyn ModelSource>) -> Self {
        self.models = Some(models);
        self
    }

    pub(crate) fn permissions(mut self, permissions: impl Permissions) -> Self {
        self.options.permissions = Arc::new(permissions);
        self
    }

    pub(crate) fn person(mut self, agrees: bool) -> Self {
        let notes = Notes::default();
        self.person = Some(Arc::new(Person { agrees, notes }));
        self
    }

    /// Writes a program that is found before others of its name.
    pub(crate) fn program(self, name: &str, text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let play = self.file(&format!("bin/{name}"), text);
        let path = play.root.join("bin").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        play
    }

    fn search_path(&self) -> std::ffi::OsString {
        let mut path = self.root.join("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        path
    }

    /// Loads everything for a script of the model: an array of turns.
    pub(crate) async fn load(self, script: Value) -> Played {
        let played = self.load_to_start(script).await;
        played.session.tell_start(Default::default()).await;
        played
    }

    /// Loads everything; the session has not started.
    pub(crate) async fn loading(self) -> Played {
        self.load_to_start(json!([{}])).await
    }

    async fn load_to_start(self, script: Value) -> Played {
        let env: Arc<dyn ExecutionEnv> = Arc::new(LocalEnv::new(LocalConfig {
            output_folder: self.root.join("output"),
            cwd: self.root.clone(),
            variables: vec![("PATH".into(), self.search_path())],
            ..LocalConfig::default()
        }));
        let script = Script::parse(&script.to_string()).unwrap();
        let scripted = Arc::new(ScriptedModel::new(script, || 0));
        let model = self.model.clone().unwrap_or(scripted);
        let mut builder = AgentSession::builder(env).clock(|| 0).model(model);
        if let Some(person) = &self.person {
            builder = builder.ui(person.clone());
        }
        if let Some(guard) = &self.guard {
            builder = builder.guard(guard);
        }
        if let Some(models) = self.models {
            builder = builder.models(models);
        }
        if self.is_recorded {
            builder = builder.record(record(&self.root));
        }
        for file in &self.extensions {
            let extension = ScriptExtension::new(file, self.options.clone());
            builder = builder.extension(Arc::new(extension) as Arc<dyn Extension>);
        }
        let session = builder.build_to_start().await.unwrap();
        let failures = Notes::default();
        let heard = failures.clone();
        session.extensions().on_failure(move |failure: &Failure| {
            heard.add(format!("{}: {}", failure.event, failure.error));
        });
        Played {
            session,
            notices: self.notices,
            failures,
            person: self.person,
            root: self.root,
            _folder: self.folder,
        }
    }

    /// Loads, prompts with `go`, and plays the script to its end.
    pub(crate) async fn run(self, script: Value) -> Played {
        let played = self.load(script).await;
        let end = played.prompt("go").await;
        assert_eq!(end.error, None);
        played
    }
}

fn record(root: &Path) -> Session {
    let store = SessionStore::new(StoreConfig::new(root.join("sessions")));
    store.in_memory(root).unwrap()
}

/// A session that was played.
pub(crate) struct Played {
    pub(crate) session: AgentSession,
    pub(crate) notices: Notes,
    pub(crate) failures: Notes,
    person: Option<Arc<Person>>,
    pub(crate) root: PathBuf,
    _folder: TempDir,
}

impl Played {
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) async fn prompt(&self, text: &str) -> RunEnd {
        let messages = vec![Message::user(text, 0)];
        self.session.prompt(messages).await.unwrap()
    }

    /// Returns whether a call failed, and what its result says.
    #[track_caller]
    pub(crate) fn answer(&self, id: &str) -> (bool, String) {
        let result = self.result(id);
        let texts = result.content.iter().filter_map(ContentBlock::as_text);
        (result.is_error, texts.collect::<Vec<_>>().join("|"))
    }

    #[track_caller]
    pub(crate) fn result(&self, id: &str) -> ToolResultMessage {
        let messages = self.session.agent().messages();
        let mut results = messages.iter().filter_map(|one| one.as_tool_result());
        let found = results.find(|result| &*result.tool_call_id == id);
        found.unwrap_or_else(|| panic!("no result of {id}")).clone()
    }

    #[track_caller]
    pub(crate) fn text(&self, id: &str) -> String {
        let (is_error, text) = self.answer(id);
        assert!(!is_error, "{text}");
        self.plain(&text)
    }

    #[track_caller]
    pub(crate) fn fault(&self, id: &str) -> String {
        let (is_error, text) = self.answer(id);
        assert!(is_error, "{text}");
        self.plain(&text)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn diagnostics(&self) -> Vec<String> {
        let diagnostics = self.session.diagnostics();
        diagnostics
            .iter()
            .map(|one| self.plain(&one.to_string()))
            .collect()
    }

    /// Returns the data of entries of a type that scripts added.
    pub(crate) fn entries(&self, custom_type: &str) -> Vec<Value> {
        let entries = self.custom_entries().into_iter();
        entries
            .filter(|entry| entry["customType"] == custom_type)
            .map(|entry| entry["data"].clone())
            .collect()
    }

    /// Returns the entries that scripts added.
    pub(crate) fn custom_entries(&self) -> Vec<Value> {
        let raw = self
            .session
            .on_record(|record| record.view().raw_entries(None));
        let raw = raw.expect("a record").unwrap();
        let entries = raw
            .iter()
            .map(|entry| serde_json::from_str::<Value>(entry.get()).unwrap());
        entries.filter(|entry| entry["type"] == "custom").collect()
    }

    /// Returns what the person saw.
    pub(crate) fn seen(&self) -> Vec<String> {
        let person = self.person.as_ref().unwrap();
        person
            .notes
            .lines()
            .iter()
            .map(|line| self.plain(line))
            .collect()
    }

    /// Says `ROOT` instead of a folder of this moment.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), "ROOT")
    }
}

/// One call of a script.
pub(crate) fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({ "id": id, "name": name, "arguments": arguments })
}

/// A script of one batch and a last word.
pub(crate) fn batch(calls: &[Value]) -> Value {
    json!([{ "calls": calls }, { "say": "done" }])
}

/// An extension with one tool `t`, whose body answers a text.
pub(crate) fn tool(body: &str) -> String {
    format!(
        r#"export default function (pi: any) {{
            pi.registerTool({{
                name: "t",
                label: "T",
                description: "does it",
                parameters: {{ type: "object", properties: {{}} }},
                async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) {{
                    const text = await (async () => {{ {body} }})();
                    return {{ content: [{{ type: "text", text: String(text) }}], details: {{}} }};
                }},
            }});
        }}"#
    )
}
