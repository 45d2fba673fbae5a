//! An environment made of functions of a script, so that a built-in tool works on whatever they
//! reach: a machine far away, a container, an archive.
//!
//! The tool stays ours (its bounds, diffs, encodings, details, the order of its writes); only what it
//! does, the functions do. They are asked for no more than Pi asks them, so some things cannot be
//! known: whether a file is new, whether somebody else changed it meanwhile, whether a write was whole
//! at once. Pictures are told by their content, so `detectImageMimeType` is not called. Nothing is read
//! or written on this machine but long output, which is saved where the session saves it.

mod command;
mod content;
mod folders;

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_env::file::{
    FileBytes, FileKind, FileStamp, Inspection, LineRange, Listing, MutationQueue, MutationTurn,
    RealPath, Replaced, SeenLedger, TextSlice, WriteGuard,
};
use deed_env::process::{ExitReport, OutputSink, ProcessSpec};
use deed_env::search::{
    SearchReport, SearchRequest, SearchSink, WalkReport, WalkRequest, WalkSink,
};
use deed_env::{BoxFuture, EnvError, ExecutionEnv};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::lock;
use super::run::Run;
use crate::bridge::Bridge;

pub(crate) use content::SavedOutput;

/// How long a look at a path may take: others who want to write wait for it.
const LOOK_TIME: Duration = Duration::from_secs(30);

/// The environment of one call.
pub(super) struct CallbackEnv {
    pub(super) run: Arc<Run>,
    /// The functions that the script gave, by name.
    pub(super) methods: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) bridge: Arc<Bridge>,
    /// The session's own: for saved output, and for searches, as Pi has it.
    pub(super) local: Arc<dyn ExecutionEnv>,
    /// How many paths a search for names may give.
    pub(super) limit: u64,
    ledger: Arc<SeenLedger>,
    looks: Mutex<HashMap<PathBuf, FileKind>>,
    contents: Mutex<HashMap<PathBuf, Arc<Vec<u8>>>>,
    heads: Mutex<HashMap<PathBuf, Vec<u8>>>,
}

impl CallbackEnv {
    pub(super) fn new(
        run: Arc<Run>,
        bridge: Arc<Bridge>,
        local: Arc<dyn ExecutionEnv>,
        methods: Vec<String>,
    ) -> Self {
        Self {
            run,
            methods,
            cwd: local.cwd().to_owned(),
            bridge,
            local,
            limit: folders::USUAL_LIMIT,
            ledger: Arc::default(),
            looks: Mutex::default(),
            contents: Mutex::default(),
            heads: Mutex::default(),
        }
    }

    fn has(&self, method: &str) -> bool {
        self.methods.iter().any(|name| name == method)
    }

    /// Calls a function of the script about a path.
    async fn ask(
        &self,
        method: &'static str,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Result<Value, EnvError> {
        let calling = self.run.call(method, json!([text_of(path)?]), None);
        let answer = calling.answer_unless(cancel).await?;
        answer.map_err(|fault| fault.on(method, path))
    }

    fn real(&self, path: &Path) -> PathBuf {
        normal(&self.cwd.join(path))
    }

    /// Tells whether it is saved output, which is on this machine whatever the functions reach.
    fn is_saved_output(&self, path: &Path) -> bool {
        self.bridge.saved_output.has(path)
    }

    /// Says what stands at a path, as far as the functions can tell; asked once a call.
    async fn look(&self, path: &Path) -> Result<FileKind, EnvError> {
        if let Some(kind) = lock(&self.looks).get(path) {
            return Ok(*kind);
        }
        let looking = tokio::time::timeout(LOOK_TIME, self.look_afresh(path));
        let kind = looking.await.unwrap_or_else(|_| {
            let late = io::Error::new(io::ErrorKind::TimedOut, "the script did not answer");
            Err(EnvError::io("look at", path, late))
        })?;
        lock(&self.looks).insert(path.to_owned(), kind);
        Ok(kind)
    }

    async fn look_afresh(&self, path: &Path) -> Result<FileKind, EnvError> {
        let cancel = &self.run.cancel;
        let of_folder = |is_folder: bool| match is_folder {
            true => FileKind::Folder,
            false => FileKind::Regular { bytes: 0 },
        };
        if self.has("access") {
            return match self.ask("access", path, cancel).await {
                Ok(_) => Ok(of_folder(false)),
                Err(error) => missing_or(error),
            };
        }
        if self.has("exists") && self.ask("exists", path, cancel).await? != true {
            return Ok(FileKind::Missing);
        }
        if self.has("isDirectory") || self.has("stat") {
            let method = if self.has("stat") {
                "stat"
            } else {
                "isDirectory"
            };
            return match self.ask(method, path, cancel).await {
                Ok(is_folder) => Ok(of_folder(is_folder == true)),
                Err(error) => missing_or(error),
            };
        }
        match self.has("exists") {
            // A place where names are looked for.
            true => Ok(FileKind::Folder),
            false => Ok(FileKind::Missing),
        }
    }
}

fn missing_or(error: EnvError) -> Result<FileKind, EnvError> {
    match &error {
        EnvError::Io { source, .. }
            if matches!(
                source.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(FileKind::Missing)
        }
        _ => Err(error),
    }
}

/// Takes `.` and `..` out of a path; links are for the functions to follow.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// Errors: a script has no name for it.
fn text_of(path: &Path) -> Result<&str, EnvError> {
    path.to_str().ok_or_else(|| {
        let wrong = io::Error::new(io::ErrorKind::InvalidInput, "the path is not in UTF-8");
        EnvError::io("name", path, wrong)
    })
}

impl ExecutionEnv for CallbackEnv {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The session's own: what the functions reach may be files of this machine.
    fn mutations(&self) -> &Arc<MutationQueue> {
        self.local.mutations()
    }

    fn ledger(&self) -> &Arc<SeenLedger> {
        &self.ledger
    }

    fn home(&self) -> Option<&Path> {
        self.local.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<RealPath, EnvError>> {
        Box::pin(async { Ok(RealPath::from_resolved(self.real(path))) })
    }

    fn kind<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileKind, EnvError>> {
        Box::pin(async {
            match self.has("stat") || self.has("isDirectory") {
                true => self.look(&self.real(path)).await,
                // Asked of folders above a file, of which the functions know nothing.
                false => Ok(FileKind::Missing),
            }
        })
    }

    fn inspect<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Inspection, EnvError>> {
        Box::pin(async {
            let path = self.real(path);
            if self.is_saved_output(&path) {
                return self.local.inspect(&path).await;
            }
            Ok(Inspection {
                kind: self.look(&path).await?,
                path: RealPath::from_resolved(path),
                stamp: None,
                has_other_names: false,
            })
        })
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: u64,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<FileBytes, EnvError>> {
        Box::pin(async move {
            let path = self.real(path);
            if self.is_saved_output(&path) {
                return self.local.read_bytes(&path, max_bytes, cancel).await;
            }
            let bytes = self.content(&path, cancel).await?;
            let actual_bytes = bytes.len() as u64;
            if actual_bytes > max_bytes {
                return Err(EnvError::TooLarge {
                    path,
                    actual_bytes,
                    max_bytes,
                });
            }
            Ok(FileBytes {
                path: RealPath::from_resolved(path),
                stamp: FileStamp {
                    bytes: actual_bytes,
                    ..FileStamp::default()
                },
                bytes: bytes.to_vec(),
            })
        })
    }

    fn read_head<'a>(
        &'a self,
        path: &'a Path,
        max_bytes: usize,
    ) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        Box::pin(async move {
            let path = self.real(path);
            if self.is_saved_output(&path) {
                return self.local.read_head(&path, max_bytes).await;
            }
            self.head(&path, max_bytes).await
        })
    }

    fn read_lines<'a>(
        &'a self,
        path: &'a Path,
        range: LineRange,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<TextSlice, EnvError>> {
        Box::pin(async move {
            let path = self.real(path);
            if self.is_saved_output(&path) {
                return self.local.read_lines(&path, range, cancel).await;
            }
            self.lines(&path, range, cancel).await
        })
    }

    fn replace(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        _: WriteGuard,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        self.write(turn, content, cancel)
    }

    fn list<'a>(
        &'a self,
        path: &'a Path,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Listing, EnvError>> {
        Box::pin(async move { self.listing(&self.real(path), cancel).await })
    }

    fn run<'a>(
        &'a self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ExitReport, EnvError>> {
        Box::pin(self.command(spec, sink, cancel))
    }

    fn find_program<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<PathBuf>> {
        // Which shell it is, the function decides.
        Box::pin(async move { Some(PathBuf::from(name)) })
    }

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        sink: Box<dyn SearchSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<SearchReport, EnvError>> {
        Box::pin(self.search_here(request, sink, cancel))
    }

    fn walk<'a>(
        &'a self,
        request: WalkRequest,
        sink: Box<dyn WalkSink>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<WalkReport, EnvError>> {
        Box::pin(self.found(request, sink, cancel))
    }

    fn create_output_file(&self, stem: &str) -> Result<(PathBuf, std::fs::File), EnvError> {
        let (path, file) = self.local.create_output_file(stem)?;
        self.bridge.saved_output.add(path.clone());
        Ok((path, file))
    }
}
