//! The environment of this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::file::{
    FileBytes, FileKind, Inspection, LineRange, Listing, MutationQueue, MutationTurn, RealPath,
    Replaced, SeenLedger, TextSlice, WriteGuard,
};
use crate::process::{ExitReport, OutputSink, ProcessSpec, Spawner, command_environment};
use crate::search::{SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink};
use crate::{BoxFuture, EnvError, ExecutionEnv};

mod blocking;
mod folder;
mod list;
mod output;
mod program;
mod read;
mod replace;
mod resolve;
mod search;
mod stamp;
mod tree;
mod walk;

use blocking::{blocking, until_cancelled};

pub use resolve::real_path;

/// What the environment of this machine is told; it reads no environment variable itself.
#[derive(Clone, Debug, Default)]
pub struct LocalConfig {
    /// The folder that relative paths start from, absolute.
    pub cwd: PathBuf,
    /// The home folder, if it is known.
    pub home: Option<PathBuf>,
    /// Where the saved output of calls goes; made (mode 0700) when it is first needed.
    pub output_folder: PathBuf,
    /// The variables that programs get, see [`command_environment`]; programs are looked for on
    /// `PATH`.
    pub variables: Vec<(OsString, OsString)>,
    /// Names of variables that programs do not get, because they hold secrets.
    pub withheld_variables: Vec<OsString>,
    /// Whether a write waits until the disk has it.
    pub durable_writes: bool,
}

/// The environment of this machine: its files, its programs, ripgrep's libraries.
///
/// Every operation is one hop to a blocking thread.
#[derive(Clone, Debug)]
pub struct LocalEnv {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    config: LocalConfig,
    mutations: Arc<MutationQueue>,
    ledger: Arc<SeenLedger>,
    spawner: Spawner,
}

impl LocalEnv {
    /// Makes an environment with an empty ledger.
    pub fn new(config: LocalConfig) -> Self {
        let variables = config.variables.iter().cloned();
        let spawner = Spawner::new(command_environment(variables, &config.withheld_variables));
        let (mutations, ledger) = (Arc::default(), Arc::default());
        Self {
            shared: Arc::new(Shared {
                config,
                mutations,
                ledger,
                spawner,
            }),
        }
    }

    /// Returns the spawner of the environment's processes, to be asked what still runs and to end
    /// it.
    pub fn spawner(&self) -> &Spawner {
        &self.shared.spawner
    }

    /// Returns what the environment was told.
    pub fn config(&self) -> &LocalConfig {
        &self.shared.config
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.shared.config.cwd.join(path)
    }
}

impl ExecutionEnv for LocalEnv {
    fn cwd(&self) -> &Path {
        &self.shared.config.cwd
    }

    fn mutations(&self) -> &Arc<MutationQueue> {
        &self.shared.mutations
    }

    fn ledger(&self) -> &Arc<SeenLedger> {
        &self.shared.ledger
    }

    fn home(&self) -> Option<&Path> {
        self.shared.config.home.as_deref()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>> {
        let path = self.absolute(path);
        Box::pin(blocking(move || resolve::real_path(&path)))
    }

    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>> {
        let path = self.absolute(path);
        Box::pin(blocking(move || resolve::kind(&path)))
    }

    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>> {
        let path = self.absolute(path);
        Box::pin(blocking(move || resolve::inspect(&path)))
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>> {
        let path = self.absolute(path);
        Box::pin(until_cancelled(cancel, move |cancel| {
            read::whole(&path, max_bytes, cancel)
        }))
    }

    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        let path = self.absolute(path);
        Box::pin(blocking(move || read::head(&path, max_bytes)))
    }

    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>> {
        let (path, ledger) = (self.absolute(path), Arc::clone(&self.shared.ledger));
        Box::pin(until_cancelled(cancel, move |cancel| {
            read::lines(&path, range, &ledger, cancel)
        }))
    }

    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        let (shared, cancel) = (Arc::clone(&self.shared), cancel.clone());
        Box::pin(blocking(move || {
            let replacement = replace::Replacement {
                path: turn.path(),
                content: &content,
                guard: &guard,
                ledger: &shared.ledger,
                durable: shared.config.durable_writes,
                cancel: &cancel,
            };
            replacement.run()
        }))
    }

    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>> {
        let path = self.absolute(path);
        Box::pin(until_cancelled(cancel, move |cancel| {
            list::entries(&path, cancel)
        }))
    }

    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>> {
        Box::pin(self.shared.spawner.run(spec, sink, cancel))
    }

    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        let (shared, name) = (Arc::clone(&self.shared), name.to_owned());
        let found = blocking(move || Ok(program::find(&name, &shared.config)));
        Box::pin(async { found.await.ok().flatten() })
    }

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>> {
        let (root, cancel) = (self.absolute(&request.root), cancel.clone());
        Box::pin(blocking(move || {
            search::run(&request, &root, sink, &cancel)
        }))
    }

    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>> {
        let (root, cancel) = (self.absolute(&request.root), cancel.clone());
        Box::pin(blocking(move || walk::run(&request, &root, sink, &cancel)))
    }

    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, std::fs::File), EnvError> {
        output::create(&self.shared.config.output_folder, stem)
    }
}
