//! What the tests of files share.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver, Sender};

use deed_env::file::{LineRange, Replaced, WriteGuard};
use deed_env::search::{
    SearchLine, SearchReport, SearchRequest, SearchSink, WalkEntry, WalkReport, WalkRequest,
    WalkSink,
};
use deed_env::{EnvError, ExecutionEnv, LocalConfig, LocalEnv};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A folder of its own with an environment in it.
pub(crate) struct Scratch {
    pub(crate) env: LocalEnv,
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut LocalConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let mut config = LocalConfig {
            output_folder: cwd.join("output"),
            variables: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            cwd,
            ..LocalConfig::default()
        };
        change(&mut config);
        Self {
            env: LocalEnv::new(config),
            folder,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Returns the names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.folder.path())
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Writes a file as a tool does: ticket, turn, replacement.
pub(crate) async fn write(
    env: &dyn ExecutionEnv,
    path: impl AsRef<Path>,
    content: impl Into<Vec<u8>>,
    guard: WriteGuard,
) -> Result<Replaced, EnvError> {
    let cancel = CancellationToken::new();
    let turn = env
        .mutations()
        .ticket()
        .place(env, path.as_ref(), &cancel)
        .await?;
    env.replace(turn, content.into(), guard, &cancel).await
}

/// Reads a whole file as the session sees it.
pub(crate) async fn read(env: &dyn ExecutionEnv, path: &str) -> Result<Vec<u8>, EnvError> {
    let cancel = CancellationToken::new();
    env.read_lines(Path::new(path), all_lines(), &cancel)
        .await
        .map(|lines| lines.bytes)
}

/// The whole file.
pub(crate) fn all_lines() -> LineRange {
    LineRange {
        first_0based: 0,
        max_wanted: None,
        max_lines: u64::MAX,
        max_bytes: usize::MAX / 2,
        count_total: true,
    }
}

/// Sends what it gets to the test; stops after `max`.
pub(crate) struct Collect<T> {
    sender: Sender<T>,
    left: usize,
}

impl<T> Collect<T> {
    pub(crate) fn new(max: usize) -> (Self, Receiver<T>) {
        let (sender, receiver) = mpsc::channel();
        (Self { sender, left: max }, receiver)
    }

    fn take(&mut self, item: T) -> bool {
        self.left -= 1;
        self.sender.send(item).is_ok() && self.left > 0
    }
}

impl SearchSink for Collect<SearchLine> {
    fn line(&mut self, line: SearchLine) -> bool {
        self.take(line)
    }
}

impl WalkSink for Collect<WalkEntry> {
    fn entry(&mut self, entry: WalkEntry) -> bool {
        self.take(entry)
    }
}

pub(crate) fn search_for(pattern: &str, root: impl Into<PathBuf>) -> SearchRequest {
    SearchRequest {
        pattern: pattern.into(),
        literal: false,
        ignore_case: false,
        root: root.into(),
        glob: None,
        context_lines: 0,
        max_line_bytes: 500,
    }
}

pub(crate) async fn search(
    env: &dyn ExecutionEnv,
    request: SearchRequest,
) -> Result<(Vec<SearchLine>, SearchReport), EnvError> {
    let (sink, lines) = Collect::new(usize::MAX);
    let report = env
        .search(request, Box::new(sink), &CancellationToken::new())
        .await?;
    Ok((lines.iter().collect(), report))
}

/// Searches and returns `path:line` of each match and `path-line` of each context line.
pub(crate) async fn places(env: &dyn ExecutionEnv, request: SearchRequest) -> Vec<String> {
    let (lines, _) = search(env, request).await.unwrap();
    let shown = |line: SearchLine| {
        format!(
            "{}{}{}",
            line.path,
            if line.is_match { ':' } else { '-' },
            line.line_1based
        )
    };
    lines.into_iter().map(shown).collect()
}

/// Walks and returns the paths, folders with a `/` behind.
pub(crate) async fn walk(
    env: &dyn ExecutionEnv,
    root: impl Into<PathBuf>,
    pattern: &str,
) -> Result<(Vec<String>, WalkReport), EnvError> {
    let (sink, entries) = Collect::<WalkEntry>::new(usize::MAX);
    let request = WalkRequest {
        root: root.into(),
        pattern: pattern.into(),
    };
    let report = env
        .walk(request, Box::new(sink), &CancellationToken::new())
        .await?;
    let shown = |entry: WalkEntry| entry.path + if entry.is_folder { "/" } else { "" };
    Ok((entries.iter().map(shown).collect(), report))
}

/// Runs a test again as a process of its own, after shell commands that set limits for it.
/// Returns `true` in that process; the caller then does what is to be tested and returns.
pub(crate) fn is_rerun(test: &str, shell_commands: &str) -> bool {
    const MARK: &str = "DEED_TEST_RERUN";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "{shell_commands}; exec \"$0\" --exact {test} --nocapture"
        ))
        .arg(std::env::current_exe().unwrap())
        .env(MARK, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{errors}"
    );
    false
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}
