use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_env::file::{
    FileBytes, FileKind, Inspection, LineRange, Listing, MutationQueue, MutationTurn, RealPath,
    Replaced, SeenLedger, TextSlice, WriteGuard,
};
use deed_env::process::{ExitReport, OutputSink, ProcessSpec};
use deed_env::search::{
    SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink,
};
use deed_env::{BoxFuture, EnvError, ExecutionEnv};
use tokio_util::sync::CancellationToken;

type Doing<'a, T> = BoxFuture<'a, Result<T, EnvError>>;

/// The session's environment, seen from another folder.
pub(super) struct Elsewhere {
    pub(super) cwd: PathBuf,
    pub(super) env: Arc<dyn ExecutionEnv>,
}

impl Elsewhere {
    fn at(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }
}

impl ExecutionEnv for Elsewhere {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn mutations(&self) -> &Arc<MutationQueue> {
        self.env.mutations()
    }

    fn ledger(&self) -> &Arc<SeenLedger> {
        self.env.ledger()
    }

    fn home(&self) -> Option<&Path> {
        self.env.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> Doing<'a, RealPath> {
        Box::pin(async { self.env.resolve(&self.at(path)).await })
    }

    fn kind<'a>(&'a self, path: &'a Path) -> Doing<'a, FileKind> {
        Box::pin(async { self.env.kind(&self.at(path)).await })
    }

    fn inspect<'a>(&'a self, path: &'a Path) -> Doing<'a, Inspection> {
        Box::pin(async { self.env.inspect(&self.at(path)).await })
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> Doing<'a, FileBytes> {
        Box::pin(async move { self.env.read_bytes(&self.at(path), max_bytes, cancel).await })
    }

    fn read_head<'a>(&'a self, path: &'a Path, max_bytes: usize) -> Doing<'a, Vec<u8>> {
        Box::pin(async move { self.env.read_head(&self.at(path), max_bytes).await })
    }

    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> Doing<'a, TextSlice> {
        Box::pin(async move { self.env.read_lines(&self.at(path), range, cancel).await })
    }

    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> Doing<'static, Replaced> {
        self.env.replace(turn, content, guard, cancel)
    }

    fn list<'a>(&'a self, path: &'a Path, cancel: &'a CancellationToken) -> Doing<'a, Listing> {
        Box::pin(async move { self.env.list(&self.at(path), cancel).await })
    }

    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> Doing<'a, ExitReport> {
        self.env.run(spec, sink, cancel)
    }

    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        self.env.find_program(name)
    }

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> Doing<'a, SearchReport> {
        self.env.search(request, sink, cancel)
    }

    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> Doing<'a, WalkReport> {
        self.env.walk(request, sink, cancel)
    }

    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, File), EnvError> {
        self.env.create_output_file(stem)
    }
}
