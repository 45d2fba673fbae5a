use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::CallContext;
use deed_env::ExecutionEnv;

use crate::diff::FileDiff;
use crate::frozen::MAX_PREVIEW_BYTES;

/// The most of an old content that is kept when it is overwritten by mistake.
const MAX_SAVED_BYTES: usize = 8 * 1024 * 1024;

/// What stood in a file before it was written.
#[derive(Debug, Default)]
pub(super) struct Original {
    /// The size, as far as it was read; `None` if there was no file.
    pub(super) bytes: Option<u64>,
    /// The content, unless it was too long to keep.
    pub(super) content: Option<Vec<u8>>,
    /// Where a copy is.
    pub(super) saved: Option<PathBuf>,
}

impl Original {
    /// Reads what stands there, without noting that the session saw it: the guard of the write
    /// must still notice what the model has not seen. What is to be saved may be longer than what
    /// is only compared.
    pub(super) async fn read(env: &dyn ExecutionEnv, path: &Path, to_save: bool) -> Self {
        let max_bytes = if to_save {
            MAX_SAVED_BYTES
        } else {
            MAX_PREVIEW_BYTES
        };
        // What cannot be read may still be written; the write itself says what is wrong.
        let Ok(head) = env.read_head(path, max_bytes + 1).await else {
            return Self::default();
        };
        let bytes = Some(head.len() as u64);
        let content = (head.len() <= max_bytes).then_some(head);
        Self {
            bytes,
            content,
            saved: None,
        }
    }

    /// Compares with a new content; `None` if that is too much to look at or no text.
    pub(super) fn diff(&self, new: &str) -> Option<FileDiff> {
        let old = self.content.as_deref()?;
        let fits = old.len() <= MAX_PREVIEW_BYTES && new.len() <= MAX_PREVIEW_BYTES;
        let is_text = !old.contains(&0);
        (fits && is_text).then(|| FileDiff::of_contents(old, new.as_bytes()))
    }

    /// Keeps a copy where the session can read it, known secrets taken out.
    pub(super) async fn save(&mut self, env: &Arc<dyn ExecutionEnv>, call: &CallContext) {
        let Some(content) = self.content.clone() else {
            return;
        };
        let (env, redactor) = (env.clone(), call.redactor.clone());
        let stem = format!("write-{}", call.call_id);
        let work = move || {
            let (path, mut file) = env.create_output_file(&stem).ok()?;
            let saved = match redactor.stream() {
                Some(mut stream) => {
                    let mut clean = stream.push(&content).into_owned();
                    clean.extend(stream.finish());
                    file.write_all(&clean)
                }
                None => file.write_all(&content),
            };
            saved.is_ok().then_some(path)
        };
        self.saved = tokio::task::spawn_blocking(work).await.ok().flatten();
    }
}
