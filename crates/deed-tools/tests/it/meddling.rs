//! An environment in which things happen at the worst moment.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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

type BeforeReplace = Box<dyn FnMut(&Path) + Send>;

/// Passes everything on to a real environment.
pub(crate) struct Meddling {
    inner: Arc<dyn ExecutionEnv>,
    /// What happens between an edit's reading and its writing.
    before_replace: Mutex<BeforeReplace>,
    /// How long it takes to find a file of a certain name.
    slow: Option<(&'static str, Duration)>,
}

impl Meddling {
    pub(crate) fn before_replace(
        inner: Arc<dyn ExecutionEnv>,
        act: impl FnMut(&Path) + Send + 'static,
    ) -> Arc<dyn ExecutionEnv> {
        let before_replace = Mutex::new(Box::new(act) as BeforeReplace);
        Arc::new(Self {
            inner,
            before_replace,
            slow: None,
        })
    }

    pub(crate) fn slow_to_find(
        inner: Arc<dyn ExecutionEnv>,
        name: &'static str,
        delay: Duration,
    ) -> Arc<dyn ExecutionEnv> {
        let before_replace = Mutex::new(Box::new(|_: &Path| {}) as BeforeReplace);
        Arc::new(Self {
            inner,
            before_replace,
            slow: Some((name, delay)),
        })
    }

    async fn delay(&self, path: &Path) {
        if let Some((name, delay)) = self.slow
            && path.ends_with(name)
        {
            tokio::time::sleep(delay).await;
        }
    }
}

impl ExecutionEnv for Meddling {
    fn cwd(&self) -> &Path {
        self.inner.cwd()
    }

    fn mutations(&self) -> &Arc<MutationQueue> {
        self.inner.mutations()
    }

    fn ledger(&self) -> &Arc<SeenLedger> {
        self.inner.ledger()
    }

    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>> {
        Box::pin(async move {
            self.delay(path).await;
            self.inner.resolve(path).await
        })
    }

    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>> {
        self.inner.kind(path)
    }

    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>> {
        Box::pin(async move {
            self.delay(path).await;
            self.inner.inspect(path).await
        })
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>> {
        self.inner.read_bytes(path, max_bytes, cancel)
    }

    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        self.inner.read_head(path, max_bytes)
    }

    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>> {
        self.inner.read_lines(path, range, cancel)
    }

    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        (self.before_replace.lock().unwrap())(turn.path().as_path());
        self.inner.replace(turn, content, guard, cancel)
    }

    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>> {
        self.inner.list(path, cancel)
    }

    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>> {
        self.inner.run(spec, sink, cancel)
    }

    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        self.inner.find_program(name)
    }

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>> {
        self.inner.search(request, sink, cancel)
    }

    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>> {
        self.inner.walk(request, sink, cancel)
    }

    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, std::fs::File), EnvError> {
        self.inner.create_output_file(stem)
    }
}
