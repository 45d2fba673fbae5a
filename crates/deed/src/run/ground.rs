//! What all sessions of a run share, and how one is made of it.

mod scripts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_agent::DrainMode;
use deed_env::{ExecutionEnv, LocalEnv};
use deed_extensions::{HostOptions, OneSession, SessionControl};
use deed_guard::approval::Approver;
use deed_guard::redact::KnownSecret;
use deed_harness::credentials::Credentials;
use deed_harness::extension_files::FoundExtensions;
use deed_harness::model_choice::{ModelChooser, ModelChooserConfig, ModelPick, ModelWish};
use deed_harness::project_trust::ProjectTrust;
use deed_harness::settings::{Durability, QueueMode, Settings};
use deed_harness::{AgentSession, ResourcePlaces, Resources, SystemPrompt, text_or_file};
use deed_models::{ModelSpec, Transport};
use deed_session::compaction::CompactionSettings;
use deed_session::{Session, SessionStore, StoreConfig};
use deed_sql::{Database, query_database};
use deed_tooling::Ui;

use crate::cli::{Mode, RunArgs};
use crate::exit::complain;
use crate::guard::{Guard, Surroundings, user};
use crate::places::Places;
use crate::settings::{credentials, settings_files, trust_question};
use crate::terminal::Terminal;
use crate::text::Look;
use crate::{extensions, sql, wiring};

/// What all sessions of a run share.
pub(super) struct Ground {
    pub(super) args: RunArgs,
    pub(super) places: Places,
    pub(super) env: LocalEnv,
    pub(super) settings: Settings,
    pub(super) resources: Resources,
    pub(super) guard: Guard,
    pub(super) store: Option<SessionStore>,
    credentials: Credentials,
    databases: Vec<Database>,
    front: Front,
    extensions: FoundExtensions,
    project_is_trusted: bool,
    transport: Transport,
}

/// How the program is used, and who answers questions.
#[derive(Clone)]
pub(super) struct Front {
    pub(super) mode: Mode,
    pub(super) ui: Arc<dyn Ui>,
    /// Who is asked before there is a session.
    pub(super) early_ui: Arc<dyn Ui>,
    pub(super) approver: Arc<dyn Approver>,
    /// What the program does for extensions.
    pub(super) control: Option<Arc<dyn SessionControl>>,
}

impl Front {
    /// The person at the terminal.
    pub(super) fn terminal(look: &Look, mode: Mode) -> Self {
        let terminal = Arc::new(Terminal::new(look.clone(), user()));
        Self {
            mode,
            ui: terminal.clone(),
            early_ui: terminal.clone(),
            approver: terminal,
            // It ends when all that is under way has come to its end.
            control: Some(Arc::new(OneSession::ending_by(|| {}))),
        }
    }
}

/// A session that was put together, and what is known of its model.
pub(super) struct Opened {
    pub(super) session: AgentSession,
    /// Nothing of a script.
    pub(super) spec: Option<Arc<ModelSpec>>,
    pub(super) chooser: Arc<ModelChooser>,
}

impl Ground {
    /// Reads settings, policy and what people wrote down, for a folder or the present one.
    ///
    /// Errors: whatever of them is wrong; nothing has run.
    pub(super) fn prepare(
        args: RunArgs,
        mut places: Places,
        front: Front,
        cwd: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let cwd = wiring::working_folder(cwd)?;
        let trust = project_trust(&args, &places, &cwd)?;
        let settings = settings(&places, &cwd, trust.is_trusted)?;
        let env = wiring::environment(cwd, &places, settings.durability);
        let resources = resources(&args, &places, env.cwd(), (&settings, trust.is_trusted));
        places.skills = resources.skill_places();
        let extensions = scripts::found(&args, &places, env.cwd(), (&settings, trust.is_trusted));
        // Where nothing could have such a flag, nothing else needs to be right first.
        let flags = &args.extensions.flags;
        anyhow::ensure!(
            flags.given.is_empty() || !extensions.files.is_empty(),
            "{}",
            flags.complaint.trim_end()
        );
        let credentials = credentials(&places, &settings, Some(Arc::new(env.clone())));
        let databases = sql::databases(&sql::with_settings(&args.sql, &settings), env.cwd())?;
        let mut secrets = sql::secrets(&databases);
        secrets.extend(credentials.known_secrets());
        secrets.extend(settings.known_secrets());
        secrets.extend(args.model.api_key.iter().map(|key| KnownSecret {
            kind: "api-key".to_owned(),
            value: key.clone(),
        }));
        let guard = Guard::new(
            &args.guard.with_folders(&settings.add_dirs),
            Surroundings {
                places: &places,
                cwd: env.cwd(),
                approver: front.approver.clone(),
                default_mode: None,
                secrets,
            },
        )?;
        let transport = Transport::new(settings.transport_options());
        Ok(Self {
            store: store(&args, &places, &settings)?,
            args,
            places,
            env,
            settings,
            resources,
            guard,
            credentials,
            databases,
            front,
            extensions,
            project_is_trusted: trust.is_trusted,
            transport,
        })
    }

    /// Finds or begins the record that the options name.
    ///
    /// Errors: there is none of that name, or another program has it.
    pub(super) fn record(&self) -> anyhow::Result<Option<Session>> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let (cwd, asked) = (self.env.cwd(), &self.args.session);
        let find = |name: &str| Ok::<_, anyhow::Error>(store.find(name, cwd)?.path);
        let mut record = if let Some(name) = &asked.session {
            store.open(&find(name)?)?
        } else if let Some(name) = &asked.fork {
            store.fork_file(&find(name)?, cwd)?
        } else if asked.continue_last {
            let latest = store.latest(cwd).with_context(|| {
                format!(
                    "--continue: there is no session of {}; `deed session list --all` lists those \
                     of other folders",
                    cwd.display()
                )
            })?;
            store.open(&latest.path)?
        } else {
            store.create(cwd, None)?
        };
        if let Some(name) = &asked.name {
            record.append_name(name)?;
        }
        for diagnostic in record.view().diagnostics() {
            complain(&format!("warning: {diagnostic}"));
        }
        Ok(Some(record))
    }

    /// Puts a session together that goes on with this record.
    ///
    /// Errors: there is no such model, or whatever else is wrong.
    pub(super) async fn session(&self, record: Option<Session>) -> anyhow::Result<AgentSession> {
        Ok(self.open(record).await?.session)
    }

    /// As [`Ground::session`], and tells what is known of the model.
    pub(super) async fn open(&self, mut record: Option<Session>) -> anyhow::Result<Opened> {
        let (pick, chooser) = self.pick(record.as_mut()).await?;
        for notice in &pick.notices {
            complain(&format!("warning: {notice}"));
        }
        let limits = self.guard.gate.policy().limits();
        let tools = self.settings.apply_to_tools(wiring::tool_settings(&limits));
        let selection = wiring::selection(&self.args.selection, self.settings.default_tools())?;
        let window = &self.settings.compaction;
        let (reserve, keep) = pick
            .spec
            .as_ref()
            .map_or((window.reserve_tokens, window.keep_recent_tokens), |spec| {
                window.for_model(&spec.provider, &spec.id)
            });
        let mut builder = wiring::session(&self.env, &self.places)
            .settings(tools.clone())
            .selection(selection)
            .limits(self.settings.batch_limits())
            .run_limits(self.run_limits())
            .retry(self.settings.retry_policy())
            .compaction(CompactionSettings {
                enabled: window.enabled,
                reserve_tokens: reserve,
                keep_recent_tokens: keep,
            })
            .model(pick.model)
            .thinking(pick.thinking)
            .system_prompt(self.prompt()?)
            .ui(self.front.ui.clone())
            .guard(&self.guard.gate);
        if !self.databases.is_empty() {
            let limits = wiring::sql_limits(&limits);
            builder = builder.built_in_tool(query_database(self.databases.clone(), limits));
        }
        if let Some(record) = record {
            builder = builder.record(record);
        }
        let chooser = Arc::new(chooser);
        builder = builder.models(chooser.clone());
        if let Some(control) = &self.front.control {
            builder = builder.control(control.clone());
        }
        let extensions = self.extensions(tools).await?;
        for extension in extensions {
            builder = builder.extension(extension);
        }
        let given = self.args.extensions.flags.given.iter().cloned();
        let session = builder
            .extension_options(HostOptions {
                flags: given.collect(),
                ..HostOptions::default()
            })
            .build_to_start()
            .await?;
        self.ensure_flags(&session)?;
        let [steering, follow_up] = self.drain_modes();
        session.set_drain_modes(steering, follow_up);
        for diagnostic in session.diagnostics() {
            complain(&format!("warning: {diagnostic}"));
        }
        wiring::warn_of_unmatched(&session);
        Ok(Opened {
            session,
            spec: pick.spec,
            chooser,
        })
    }

    /// Returns how much of the queues is delivered at once: steering, follow-up.
    pub(super) fn drain_modes(&self) -> [DrainMode; 2] {
        [self.settings.steering_mode, self.settings.follow_up_mode].map(drain_mode)
    }

    fn run_limits(&self) -> deed_harness::RunLimits {
        let settings = self.settings.run_limits();
        deed_harness::RunLimits {
            max_turns: self.args.max_turns.or(settings.max_turns),
            max_cost_usd: self.args.max_cost.or(settings.max_cost_usd),
            ..settings
        }
    }

    fn prompt(&self) -> anyhow::Result<SystemPrompt> {
        let asked = &self.args.resources;
        let text = |option: &'static str, given: &String| {
            text_or_file(given, self.env.cwd()).with_context(|| format!("{option} {given}"))
        };
        let replacement = asked.system_prompt.as_ref();
        let replacement = replacement.map(|given| text("--system-prompt", given));
        let appended = asked.append_system_prompt.iter();
        let appended = appended.map(|given| text("--append-system-prompt", given));
        Ok(SystemPrompt::of_resources(
            &self.resources,
            replacement.transpose()?,
            appended.collect::<Result<_, _>>()?,
        ))
    }

    async fn pick(
        &self,
        record: Option<&mut Session>,
    ) -> anyhow::Result<(ModelPick, ModelChooser)> {
        let asked = &self.args.model;
        let mut wish = ModelWish {
            model: asked.model.clone(),
            provider: asked.provider.clone(),
            api: asked.api,
            base_url: asked.base_url.clone(),
            api_key: asked.api_key.clone(),
            thinking: asked.thinking,
            ..ModelWish::default()
        };
        let cache_key = record.as_ref().map(|record| record.id().into());
        if let Some(record) = record {
            let context = record.context()?;
            wish.resumed = context.model;
            let level = context.thinking_level;
            wish.resumed_thinking = level.and_then(|level| level.parse().ok());
        }
        let chooser = self.chooser(cache_key)?;
        Ok((chooser.choose(&wish).await?, chooser))
    }

    /// Makes what chooses models for a session.
    pub(super) fn chooser(&self, cache_key: Option<Arc<str>>) -> anyhow::Result<ModelChooser> {
        Ok(ModelChooser::new(ModelChooserConfig {
            settings: self.settings.clone(),
            credentials: self.credentials.clone(),
            transport: self.transport.clone(),
            cache_key,
            blocks_images: self.settings.images.block_images,
            ..ModelChooserConfig::new(self.env.cwd().to_owned())
        })?)
    }
}

fn project_trust(args: &RunArgs, places: &Places, cwd: &Path) -> anyhow::Result<ProjectTrust> {
    let asked = &args.resources;
    let said = match (asked.trust_project, asked.no_trust_project) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let user = settings_files(places, cwd).load(false)?;
    let default = user.settings.default_project_trust;
    let mut question = trust_question(places, cwd, said, default);
    if user.settings.pi_extensions {
        question.further.push(extensions::pi_folder(cwd));
    }
    let trust = question.decide()?;
    if !trust.is_trusted && !trust.withheld.is_empty() && said.is_none() {
        let names: Vec<_> = trust
            .withheld
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        complain(&format!(
            "warning: not loaded, because {}: {}; --trust-project loads it for once, `deed trust \
             --project` for good",
            trust.because,
            names.join(", ")
        ));
    }
    Ok(trust)
}

fn settings(places: &Places, cwd: &Path, is_trusted: bool) -> anyhow::Result<Settings> {
    let loaded = settings_files(places, cwd).load(is_trusted)?;
    for finding in &loaded.ignored {
        complain(&format!("warning: {finding}"));
    }
    Ok(loaded.settings)
}

fn shared_folder(places: &Places) -> Option<PathBuf> {
    places.home.as_ref().map(|home| home.join(".agents"))
}

fn resources(
    args: &RunArgs,
    places: &Places,
    cwd: &Path,
    (settings, project_is_trusted): (&Settings, bool),
) -> Resources {
    let absolute = |paths: &[PathBuf]| paths.iter().map(|path| cwd.join(path)).collect();
    let found = Resources::load(&ResourcePlaces {
        shared: shared_folder(places),
        project_is_trusted,
        discovers_context_files: !args.resources.no_context_files,
        skill_paths: absolute(&args.resources.skill),
        prompt_paths: absolute(&args.resources.prompt_template),
        user_context_paths: settings.context_files.user.clone(),
        project_context_paths: settings.context_files.project.clone(),
        user_skill_paths: settings.skills.user.clone(),
        project_skill_paths: settings.skills.project.clone(),
        user_prompt_paths: settings.prompts.user.clone(),
        project_prompt_paths: settings.prompts.project.clone(),
        ..ResourcePlaces::new(cwd.to_owned(), places.config.clone())
    });
    let told = |it: &&deed_harness::ResourceDiagnostic| args.verbose || !it.is_minor();
    for diagnostic in found.diagnostics.iter().filter(told) {
        complain(&format!("warning: {diagnostic}"));
    }
    found
}

fn store(
    args: &RunArgs,
    places: &Places,
    settings: &Settings,
) -> anyhow::Result<Option<SessionStore>> {
    if args.session.no_session {
        return Ok(None);
    }
    let named = args
        .session
        .session_dir
        .clone()
        .or(settings.session_dir.clone());
    let usual = || places.share.as_ref().map(|share| share.join("sessions"));
    let root = named.or_else(usual).context(
        "there is no home folder for the session; --session-dir DIR names a folder, --no-session \
         does without",
    )?;
    let root = std::path::absolute(&root).unwrap_or(root);
    Ok(Some(SessionStore::new(StoreConfig {
        durable: settings.durability == Durability::Strict,
        ..StoreConfig::new(root)
    })))
}

fn drain_mode(mode: QueueMode) -> DrainMode {
    match mode {
        QueueMode::OneAtATime => DrainMode::OneAtATime,
        QueueMode::All => DrainMode::All,
    }
}
