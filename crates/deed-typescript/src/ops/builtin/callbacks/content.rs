//! Contents of files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use deed_env::file::{LineRange, LineScan, MutationTurn, Replaced, TextSlice};
use deed_env::{BoxFuture, EnvError};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::super::files::{from_base64, to_base64};
use super::super::super::lock;
use super::super::run::Run;
use super::{CallbackEnv, text_of};

/// How much of the start of a file is kept of what comes in pieces, to tell pictures by.
const HEAD_BYTES: usize = 64 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl CallbackEnv {
    /// Returns the whole content, as `readFile` gives it; read once a call.
    pub(super) async fn content(
        &self,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Result<Arc<Vec<u8>>, EnvError> {
        if let Some(content) = lock(&self.contents).get(path) {
            return Ok(content.clone());
        }
        if !self.has("readFile") {
            return Err(EnvError::Unsupported(
                "read files: the script gave no `readFile`",
            ));
        }
        let answer = self.ask("readFile", path, cancel).await?;
        let content = bytes_of(answer).ok_or_else(|| {
            let wrong = std::io::Error::other("it gave neither bytes nor a text");
            EnvError::io("readFile", path, wrong)
        })?;
        let content = Arc::new(content);
        lock(&self.contents).insert(path.to_owned(), content.clone());
        Ok(content)
    }

    /// Returns the first bytes, of what was read if that is enough.
    pub(super) async fn head(&self, path: &Path, max_bytes: usize) -> Result<Vec<u8>, EnvError> {
        let kept = lock(&self.heads).get(path).cloned();
        if let Some(head) = kept
            && (head.len() < HEAD_BYTES || max_bytes <= HEAD_BYTES)
        {
            return Ok(head.get(..max_bytes).unwrap_or(&head).to_vec());
        }
        let content = self.content(path, &self.run.cancel).await?;
        Ok(content.get(..max_bytes).unwrap_or(&content).to_vec())
    }

    pub(super) async fn lines(
        &self,
        path: &Path,
        range: LineRange,
        cancel: &CancellationToken,
    ) -> Result<TextSlice, EnvError> {
        if self.has("access") {
            self.ask("access", path, cancel).await?;
        }
        if self.has("createReadStream") {
            return self.streamed_lines(path, range, cancel).await;
        }
        let content = self.content(path, cancel).await?;
        let mut reading = Reading::new(range);
        reading.take(&content);
        Ok(reading.finish().0)
    }

    async fn streamed_lines(
        &self,
        path: &Path,
        range: LineRange,
        cancel: &CancellationToken,
    ) -> Result<TextSlice, EnvError> {
        let reading = Arc::new(Mutex::new(Reading::new(range)));
        let taking = reading.clone();
        let taker = move |bytes: &[u8]| lock(&taking).take(bytes);
        let args = json!([text_of(path)?]);
        let calling = self
            .run
            .call("createReadStream", args, Some(Box::new(taker)));
        let answer = calling.answer_unless(cancel).await?;
        answer.map_err(|fault| fault.on("createReadStream", path))?;
        let reading = std::mem::replace(&mut *lock(&reading), Reading::new(range));
        let (slice, head) = reading.finish();
        lock(&self.heads).insert(path.to_owned(), head);
        Ok(slice)
    }

    /// Writes a file. The turn is held until the script has answered, whoever waits for it.
    pub(super) fn write(
        &self,
        turn: MutationTurn,
        content: Vec<u8>,
        cancel: &CancellationToken,
    ) -> BoxFuture<'static, Result<Replaced, EnvError>> {
        if cancel.is_cancelled() {
            return Box::pin(async { Err(EnvError::Cancelled) });
        }
        if !self.has("writeFile") {
            let why = "write files: the script gave no `writeFile`";
            return Box::pin(async { Err(EnvError::Unsupported(why)) });
        }
        let path = turn.path().as_path().to_owned();
        lock(&self.contents).remove(&path);
        let (run, makes_folders) = (self.run.clone(), self.has("mkdir"));
        let writing = self.bridge.runtime.spawn(async move {
            let written = write(&run, &path, content, makes_folders).await;
            let path = turn.path().clone();
            drop(turn);
            written.map(|()| Replaced {
                path,
                created: None,
                atomic: None,
            })
        });
        Box::pin(async move { writing.await.unwrap_or(Err(EnvError::Cancelled)) })
    }
}

async fn write(
    run: &Arc<Run>,
    path: &Path,
    content: Vec<u8>,
    makes_folders: bool,
) -> Result<(), EnvError> {
    if makes_folders && let Some(folder) = path.parent() {
        let mut making = run.call("mkdir", json!([text_of(folder)?]), None);
        let made = making.answer().await;
        made.map_err(|fault| fault.on("mkdir", folder))?;
    }
    let content = match String::from_utf8(content) {
        Ok(text) => Value::String(text),
        // As text it would be another file.
        Err(error) => json!({ "base64": to_base64(error.as_bytes()) }),
    };
    let mut writing = run.call("writeFile", json!([text_of(path)?, content]), None);
    let written = writing.answer().await;
    written
        .map(drop)
        .map_err(|fault| fault.on("writeFile", path))
}

fn bytes_of(answer: Value) -> Option<Vec<u8>> {
    match answer {
        Value::String(text) => Some(text.into_bytes()),
        other => from_base64(other.get("base64")?.as_str()?).ok(),
    }
}

/// Picks lines out of a content that comes in pieces.
struct Reading {
    scan: LineScan,
    head: Vec<u8>,
    /// The first bytes, until it is known whether they are a byte order mark.
    start: Option<Vec<u8>>,
    total_bytes: u64,
}

impl Reading {
    fn new(range: LineRange) -> Self {
        Self {
            scan: LineScan::new(range),
            head: Vec::new(),
            start: Some(Vec::new()),
            total_bytes: 0,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.total_bytes += bytes.len() as u64;
        let room = (HEAD_BYTES - self.head.len()).min(bytes.len());
        self.head.extend(bytes.get(..room).unwrap_or_default());
        let Some(start) = &mut self.start else {
            self.scan.chunk(bytes);
            return;
        };
        start.extend(bytes);
        if start.len() >= BYTE_ORDER_MARK.len() {
            self.begin();
        }
    }

    fn begin(&mut self) {
        if let Some(start) = self.start.take() {
            self.scan
                .chunk(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start));
        }
    }

    fn finish(mut self) -> (TextSlice, Vec<u8>) {
        self.begin();
        (self.scan.finish(true, self.total_bytes), self.head)
    }
}

/// Paths of output that was saved on this machine.
#[derive(Default)]
pub(crate) struct SavedOutput(Mutex<Vec<PathBuf>>);

impl SavedOutput {
    pub(crate) fn add(&self, path: PathBuf) {
        lock(&self.0).push(path);
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        lock(&self.0).iter().any(|saved| saved == path)
    }
}
