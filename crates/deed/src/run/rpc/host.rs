use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use deed_agent::{BoxFuture, Model};
use deed_env::{ExecutionEnv, LocalEnv};
use deed_extensions::ModelSelectSource;
use deed_guard::GuardGate;
use deed_harness::AgentSession;
use deed_harness::model_choice::ModelChooser;
use deed_models::ModelSpec;
use deed_rpc::{DrainModes, HostError, Hosted, SessionHost, Wanted};
use deed_session::{Session, SessionStore, StoreConfig};

use super::export;
use crate::cli::RunArgs;
use crate::exit::complain;
use crate::places::Places;
use crate::run::ground::{Front, Ground};
use crate::run::listen_in;

/// Makes the sessions of a client; each has settings, policy, environment and record of its own.
pub(super) struct Host {
    args: RunArgs,
    front: Front,
    environments: Environments,
    present: Mutex<Present>,
}

/// What belongs to the session that was opened last.
#[derive(Default)]
struct Present {
    cwd: Option<PathBuf>,
    chooser: Option<Arc<ModelChooser>>,
    gate: Option<GuardGate>,
    /// The model that the client chose, which new sessions begin with.
    chosen: Option<ModelSpec>,
}

/// The environments whose processes have not been ended.
#[derive(Clone, Default)]
pub(super) struct Environments(Arc<Mutex<Vec<LocalEnv>>>);

impl Environments {
    fn lock(&self) -> MutexGuard<'_, Vec<LocalEnv>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, env: &LocalEnv) {
        self.lock().push(env.clone());
    }

    /// Kills every process at once.
    pub(super) fn kill_all(&self) {
        for env in self.lock().iter() {
            env.spawner().kill_all();
        }
    }

    /// Ends every process that is left.
    pub(super) async fn end_all(&self) {
        let left = std::mem::take(&mut *self.lock());
        for env in left {
            env.spawner().end_all().await;
        }
    }
}

/// Which record a session goes on with.
enum From {
    /// The one that the options name.
    Options,
    Wanted(Wanted),
}

impl Host {
    pub(super) fn new(args: RunArgs, front: Front, environments: Environments) -> Self {
        Self {
            args,
            front,
            environments,
            present: Mutex::default(),
        }
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the session that the options name.
    pub(super) async fn first(&self) -> anyhow::Result<Hosted> {
        self.hosted(From::Options, None).await
    }

    async fn hosted(&self, from: From, cwd: Option<PathBuf>) -> anyhow::Result<Hosted> {
        let keeps_model = matches!(from, From::Wanted(Wanted::New { .. } | Wanted::Record(_)));
        let (args, front) = (self.args.clone(), self.front.clone());
        let preparing = tokio::task::spawn_blocking(move || {
            let ground = Ground::prepare(args, Places::find(), front, cwd.as_deref())?;
            let record = record(&ground, from)?;
            Ok::<_, anyhow::Error>((ground, record))
        });
        let (ground, record) = preparing.await??;
        let opened = ground.open(Some(record)).await?;
        let (session, mut spec) = (opened.session, opened.spec);
        let chooser = opened.chooser;
        let chosen = self.present().chosen.clone().filter(|_| keeps_model);
        if let Some(chosen) = chosen {
            let model = chooser.make(chosen.clone());
            session.set_model(model, ModelSelectSource::Restore).await?;
            session
                .set_thinking(chosen.fitted(session.thinking()))
                .await?;
            spec = Some(Arc::new(chosen));
        }
        listen_in(&session, &ground);
        self.environments.add(&ground.env);
        let mut present = self.present();
        present.cwd = Some(ground.env.cwd().to_owned());
        present.chooser = Some(chooser);
        present.gate = Some(ground.guard.gate.clone());
        drop(present);
        let [steering, follow_up] = ground.drain_modes();
        Ok(Hosted {
            session,
            resources: Arc::new(ground.resources.clone()),
            spec,
            drain_modes: DrainModes {
                steering,
                follow_up,
            },
            end: Box::new(move || end(ground)),
        })
    }

    /// Returns the folder that a session is to run in: its own, if it has one.
    fn folder_of(&self, wanted: &Wanted) -> anyhow::Result<Option<PathBuf>> {
        let present = self.present().cwd.clone();
        let own = match wanted {
            Wanted::New { .. } | Wanted::Record(_) => return Ok(present),
            Wanted::File(path) => {
                let here = present.clone().unwrap_or_default();
                let found = plain_store().find(&path.display().to_string(), &here)?;
                PathBuf::from(found.cwd)
            }
        };
        if own.as_os_str().is_empty() {
            return Ok(present);
        }
        anyhow::ensure!(
            own.is_dir(),
            "the session belongs to {}, which is no folder any more",
            own.display()
        );
        Ok(Some(own))
    }
}

/// Lets go of what a session used.
fn end(ground: Ground) {
    ground.guard.close();
    // At the end of the program, what is left is ended and waited for.
    tokio::spawn(async move { ground.env.spawner().end_all().await });
}

/// Knows no folder of sessions; for those that are named by path, or have no file.
fn plain_store() -> SessionStore {
    SessionStore::new(StoreConfig::new(PathBuf::new()))
}

fn record(ground: &Ground, from: From) -> anyhow::Result<Session> {
    let cwd = ground.env.cwd();
    let record = match from {
        From::Options => ground.record()?,
        From::Wanted(Wanted::Record(record)) => Some(*record),
        From::Wanted(Wanted::File(path)) => {
            let store = ground.store.clone().unwrap_or_else(plain_store);
            let record = store.open(&path)?;
            for diagnostic in record.view().diagnostics() {
                complain(&format!("warning: {diagnostic}"));
            }
            Some(record)
        }
        From::Wanted(Wanted::New { parent }) => match &ground.store {
            Some(store) => Some(store.create(cwd, parent.as_deref())?),
            None => None,
        },
    };
    match record {
        Some(record) => Ok(record),
        None => Ok(plain_store().in_memory(cwd)?),
    }
}

fn told(error: anyhow::Error) -> HostError {
    HostError(format!("{error:#}"))
}

impl SessionHost for Host {
    fn open<'a>(&'a self, wanted: Wanted) -> BoxFuture<'a, Result<Hosted, HostError>> {
        Box::pin(async move {
            let cwd = self.folder_of(&wanted).map_err(told)?;
            self.hosted(From::Wanted(wanted), cwd).await.map_err(told)
        })
    }

    fn models<'a>(&'a self) -> BoxFuture<'a, Vec<ModelSpec>> {
        Box::pin(async move {
            let chooser = self.present().chooser.clone();
            match chooser {
                Some(chooser) => chooser.available().await,
                None => Vec::new(),
            }
        })
    }

    fn make_model(
        &self,
        spec: ModelSpec,
        _session: &AgentSession,
    ) -> Result<Arc<dyn Model>, HostError> {
        let mut present = self.present();
        let chooser = present.chooser.clone();
        let chooser = chooser.context("no session is open").map_err(told)?;
        present.chosen = Some(spec.clone());
        Ok(chooser.make(spec))
    }

    fn export<'a>(
        &'a self,
        session: &'a AgentSession,
        to: Option<&'a Path>,
    ) -> BoxFuture<'a, Result<PathBuf, HostError>> {
        Box::pin(async move { export::page(session, to).await.map_err(told) })
    }

    fn late_answer(&self, approval_id: &str, answer: &str) {
        let gate = self.present().gate.clone();
        if let Some(gate) = gate {
            gate.note_late_answer(approval_id, answer);
        }
    }
}
