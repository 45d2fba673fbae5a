//! An environment that holds its files in memory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::file::{
    ContentHash, FileBytes, FileKind, Inspection, LineRange, LineScan, Listing, MutationQueue,
    MutationTurn, RealPath, Replaced, SeenLedger, TextSlice, WriteGuard,
};
use crate::process::{ExitReport, OutputSink, ProcessSpec};
use crate::search::{SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink};
use crate::{BoxFuture, EnvError, ExecutionEnv};

mod find;
mod tree;

use tree::Tree;

/// An environment that holds its files in memory, for tests and as the smallest example of one
/// that is not this machine.
///
/// It has no links, no ignore files and no programs.
#[derive(Clone, Debug)]
pub struct MemoryEnv {
    cwd: PathBuf,
    tree: Arc<Mutex<Tree>>,
    mutations: Arc<MutationQueue>,
    ledger: Arc<SeenLedger>,
}

impl MemoryEnv {
    /// Makes an environment with one empty folder, where relative paths start.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        let tree = Arc::new(Mutex::new(Tree::new(&cwd)));
        Self {
            cwd,
            tree,
            mutations: Arc::default(),
            ledger: Arc::default(),
        }
    }

    /// Puts a file there, as somebody else than this session would.
    ///
    /// Errors: [`EnvError::Io`] if a file stands where a folder is needed.
    pub fn put(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Result<(), EnvError> {
        let path = self.real(path.as_ref());
        lock(&self.tree)
            .put(path.as_path(), content.into())
            .map(drop)
    }

    /// Returns a file's content without noting it in the ledger; `None` if there is none.
    pub fn content(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        let path = self.real(path.as_ref());
        lock(&self.tree)
            .read(path.as_path())
            .ok()
            .map(|(bytes, _)| bytes.to_vec())
    }

    fn real(&self, path: &Path) -> RealPath {
        RealPath::from_resolved(tree::normal(&self.cwd.join(path)))
    }

    fn inspection(&self, path: &Path) -> Result<Inspection, EnvError> {
        let path = self.real(path);
        let tree = lock(&self.tree);
        let kind = tree.kind(path.as_path())?;
        let stamp = tree.read(path.as_path()).ok().map(|(_, stamp)| stamp);
        Ok(Inspection {
            path,
            kind,
            stamp,
            has_other_names: false,
        })
    }

    fn whole(&self, path: &Path, max_bytes: u64) -> Result<FileBytes, EnvError> {
        let path = self.real(path);
        let (bytes, stamp) = lock(&self.tree).read(path.as_path())?;
        if stamp.bytes > max_bytes {
            let (path, actual_bytes) = (path.as_path().into(), stamp.bytes);
            return Err(EnvError::TooLarge {
                path,
                actual_bytes,
                max_bytes,
            });
        }
        Ok(FileBytes {
            path,
            stamp,
            bytes: bytes.to_vec(),
        })
    }

    fn lines(&self, path: &Path, range: LineRange) -> Result<TextSlice, EnvError> {
        let file = self.whole(path, u64::MAX)?;
        self.ledger
            .note_seen(&file.path, file.stamp, ContentHash::of_small(&file.bytes));
        let text = file
            .bytes
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(&file.bytes);
        let mut scan = LineScan::new(range);
        let at_end = scan.chunk(text);
        Ok(scan.finish(at_end, file.stamp.bytes))
    }
}

fn lock(tree: &Mutex<Tree>) -> MutexGuard<'_, Tree> {
    tree.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work that is over at once, unless the call was cancelled before.
fn unless_cancelled<'a, T: Send + 'a>(
    cancel: &CancellationToken,
    work: impl FnOnce() -> Result<T, EnvError> + Send + 'a,
) -> BoxFuture<'a, Result<T, EnvError>> {
    let cancel = cancel.clone();
    Box::pin(async move {
        if cancel.is_cancelled() {
            Err(EnvError::Cancelled)
        } else {
            work()
        }
    })
}

impl ExecutionEnv for MemoryEnv {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn mutations(&self) -> &Arc<MutationQueue> {
        &self.mutations
    }

    fn ledger(&self) -> &Arc<SeenLedger> {
        &self.ledger
    }

    fn home(&self) -> Option<&Path> {
        None
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>> {
        Box::pin(async { self.inspection(path).map(|found| found.path) })
    }

    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>> {
        Box::pin(async { self.inspection(path).map(|found| found.kind) })
    }

    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>> {
        Box::pin(async { self.inspection(path) })
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>> {
        unless_cancelled(cancel, move || self.whole(path, max_bytes))
    }

    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        Box::pin(async move {
            let (bytes, _) = lock(&self.tree).read(self.real(path).as_path())?;
            Ok(bytes.get(..max_bytes).unwrap_or(&bytes).to_vec())
        })
    }

    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>> {
        unless_cancelled(cancel, move || self.lines(path, range))
    }

    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        let (tree, ledger) = (Arc::clone(&self.tree), Arc::clone(&self.ledger));
        unless_cancelled(cancel, move || {
            let path = turn.path();
            let mut tree = lock(&tree);
            let old = match tree.kind(path.as_path())? {
                FileKind::Missing => None,
                _ => Some(tree.read(path.as_path())?),
            };
            let before = old.as_ref().map(|(_, stamp)| *stamp);
            let old_hash = || {
                old.as_ref()
                    .and_then(|(bytes, _)| ContentHash::of_small(bytes))
            };
            if !ledger.allows(&guard, path, before, old_hash) {
                return Err(EnvError::Stale {
                    path: path.as_path().into(),
                });
            }
            let after = tree.put(path.as_path(), content.clone())?;
            ledger.note_allowed(
                &guard,
                path,
                (before, after),
                ContentHash::of_small(&content),
            );
            Ok(Replaced {
                path: path.clone(),
                created: Some(before.is_none()),
                atomic: Some(true),
            })
        })
    }

    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>> {
        unless_cancelled(cancel, move || {
            lock(&self.tree)
                .list(self.real(path).as_path())
                .map(Listing::sorted)
        })
    }

    fn run<'a>(
        &'a self,
        _spec: ProcessSpec,
        _sink: Box<dyn OutputSink>,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>> {
        Box::pin(async { Err(EnvError::Unsupported("run programs")) })
    }

    fn find_program<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        Box::pin(async { None })
    }

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        mut sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>> {
        unless_cancelled(cancel, move || {
            let root = self.real(&request.root);
            // A copy, so that a sink that looks at the environment does not wait for ever.
            let tree = lock(&self.tree).clone();
            find::search(&tree, &request, root.as_path(), sink.as_mut())
        })
    }

    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        mut sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>> {
        unless_cancelled(cancel, move || {
            let root = self.real(&request.root);
            let tree = lock(&self.tree).clone();
            find::walk(&tree, &request, root.as_path(), sink.as_mut())
        })
    }

    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, File), EnvError> {
        lock(&self.tree).create_output(stem)
    }
}
