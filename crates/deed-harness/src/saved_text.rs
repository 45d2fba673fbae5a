use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{BoxFuture, Redactor};
use deed_env::ExecutionEnv;
use deed_tooling::OutputStore;

/// Saves text that is too long for a result beside the saved output of commands, known secrets
/// taken out.
pub(crate) struct SavedText {
    pub(crate) env: Arc<dyn ExecutionEnv>,
    pub(crate) redactor: Arc<dyn Redactor>,
}

impl OutputStore for SavedText {
    fn save<'a>(&'a self, tool_name: &'a str, text: String) -> BoxFuture<'a, Option<PathBuf>> {
        let (env, redactor) = (self.env.clone(), self.redactor.clone());
        let stem = tool_name.to_owned();
        let work = move || {
            let (path, mut file) = env.create_output_file(&stem).ok()?;
            let saved = match redactor.stream() {
                Some(mut stream) => {
                    let mut clean = stream.push(text.as_bytes()).into_owned();
                    clean.extend(stream.finish());
                    file.write_all(&clean)
                }
                None => file.write_all(text.as_bytes()),
            };
            // A file that holds less than all is no place to point to.
            saved.is_ok().then_some(path)
        };
        let saving = tokio::task::spawn_blocking(work);
        Box::pin(async move { saving.await.ok().flatten() })
    }
}
