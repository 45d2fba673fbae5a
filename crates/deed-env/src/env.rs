use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::EnvError;
use crate::file::{
    FileBytes, FileKind, Inspection, LineRange, Listing, MutationQueue, MutationTurn, RealPath,
    Replaced, SeenLedger, TextSlice, WriteGuard,
};
use crate::process::{ExitReport, OutputSink, ProcessSpec};
use crate::search::{SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where tools act: files, processes and searches of one machine.
///
/// Implementors do blocking work off the asynchronous threads, check the cancellation token at
/// least every 64 KB or 1 ms of work, and give back no partial effect when they were cancelled.
pub trait ExecutionEnv: Send + Sync + 'static {
    /// Returns the folder that relative paths start from.
    fn cwd(&self) -> &Path;

    /// Returns the queue that keeps writes of one file in call order.
    fn mutations(&self) -> &Arc<MutationQueue>;

    /// Returns what this session last saw of each file.
    fn ledger(&self) -> &Arc<SeenLedger>;

    /// Returns the home folder, if it is known.
    fn home(&self) -> Option<&Path>;

    /// Finds the real path: symlinks followed; of a missing file, the nearest existing ancestor
    /// followed and the rest appended.
    ///
    /// Errors: [`EnvError::Io`] for anything but a missing file, such as a loop of links.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>>;

    /// Says what stands at a path, links followed; [`FileKind::Missing`] if nothing does.
    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>>;

    /// Looks at a path in one step: where it really is and what stands there. Opens nothing.
    ///
    /// Errors: as [`ExecutionEnv::resolve`].
    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>>;

    /// Reads a whole regular file into memory, without noting it in the ledger: what a tool reads
    /// to work on it is nothing that the model has seen.
    ///
    /// Errors: [`EnvError::TooLarge`] above `max_bytes`, [`EnvError::NotRegular`] without opening.
    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>>;

    /// Reads the first bytes of a regular file, at most `max_bytes`.
    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>>;

    /// Reads lines of a regular file in memory bounded by the range's limits, whatever the file,
    /// and notes it in the ledger.
    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>>;

    /// Replaces or creates a file with new content: the old or the new content is there whole,
    /// whatever happens, and no stray file stays. The turn ends when the work is done, even if
    /// the future was dropped.
    ///
    /// Missing parents are made. Mode, owner and links are kept. The ledger advances.
    ///
    /// Errors: [`EnvError::Stale`] as the guard says.
    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        guard: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>>;

    /// Lists one folder, not its sub-folders.
    ///
    /// Shape: sorted by lower-cased name, entries whose target cannot be read left out.
    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>>;

    /// Runs a program until it ends, is cancelled or runs out of time.
    ///
    /// Cancellation: the whole tree is ended (TERM, the grace of `spec`, KILL) and the report says so.
    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>>;

    /// Finds a program on the search path.
    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>>;

    /// Searches file contents; matches arrive sorted by path, then line.
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>>;

    /// Walks a folder; entries arrive sorted by path.
    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>>;

    /// Makes a new private file (mode 0600) for the saved output of one call and opens it.
    ///
    /// Shape: the name begins with `stem` and is unique for ever. The session may always read it.
    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, std::fs::File), EnvError>;
}
