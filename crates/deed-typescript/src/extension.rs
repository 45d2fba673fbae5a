use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{AgentStartEvent, Extension, ExtensionApi, ExtensionError};
use deed_protocol::{SourceInfo, SourceOrigin, SourceScope};
use tokio::runtime::Handle as RuntimeHandle;

use crate::bridge::Bridge;
use crate::running::Running;
use crate::{ScriptOptions, events};

/// An extension in a TypeScript or JavaScript file.
pub struct ScriptExtension {
    name: String,
    source: SourceInfo,
    running: Arc<Running>,
}

impl ScriptExtension {
    /// Makes an extension of a file; its engine starts at once, on a thread of its own.
    ///
    /// Must be called where the session runs.
    pub fn new(file: impl Into<PathBuf>, options: ScriptOptions) -> Self {
        let file = options.cwd.join(file.into());
        let file = file.canonicalize().unwrap_or(file);
        let name = name_of(&file);
        let source = SourceInfo {
            path: file.to_string_lossy().into(),
            source: "local".into(),
            scope: SourceScope::Temporary,
            origin: SourceOrigin::TopLevel,
            base_dir: file.parent().map(|folder| folder.to_string_lossy().into()),
        };
        let bridge = Bridge::new(name.clone(), file, options, RuntimeHandle::current());
        let running = Running::new(Arc::new(bridge));
        running.prepare();
        Self {
            name,
            source,
            running,
        }
    }

    /// Says who brought it.
    #[must_use]
    pub fn with_source(mut self, source: SourceInfo) -> Self {
        self.source = source;
        self
    }
}

impl std::fmt::Debug for ScriptExtension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptExtension")
            .field("file", &self.running.bridge.file)
            .finish_non_exhaustive()
    }
}

/// The file's name; that of the folder if the file is its index.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    let folder = file.parent().and_then(Path::file_name);
    let name = folder.filter(|_| stem == "index").unwrap_or(stem);
    name.to_string_lossy().into_owned()
}

impl Extension for ScriptExtension {
    fn name(&self) -> &str {
        &self.name
    }

    fn source(&self) -> SourceInfo {
        self.source.clone()
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            let bridge = &self.running.bridge;
            if bridge.api.set(api.clone()).is_err() {
                return Err(
                    "an extension can be loaded once; make another for another session".into(),
                );
            }
            self.running.load().await.map_err(ExtensionError::new)?;
            let counting = self.running.clone();
            api.on(move |_: &mut AgentStartEvent, _| {
                counting.bridge.rights.run_begins();
                counting
                    .bridge
                    .run
                    .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Box::pin(async { Ok(()) })
            })?;
            events::close_with_session(api, &self.running)
        })
    }
}
