use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use deed_extensions::ExtensionApi;
use deed_tooling::ToolContext;
use tokio::runtime::Handle as RuntimeHandle;

use crate::ops::{LogLevel, Rights, SavedOutput, Scope, lock};
use crate::renderer::Drawings;
use crate::running::Running;
use crate::shell::Outputs;
use crate::{ScriptNotice, ScriptOptions};

/// What an extension and its engine have in common, whichever engine it is.
pub(crate) struct Bridge {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) options: ScriptOptions,
    /// Where the session runs.
    pub(crate) runtime: RuntimeHandle,
    pub(crate) api: OnceLock<ExtensionApi>,
    pub(crate) running: OnceLock<Weak<Running>>,
    /// What calls may do to databases.
    pub(crate) rights: Rights,
    scopes: Mutex<HashMap<String, Scope>>,
    last_scope: AtomicU64,
    /// Counts runs of the model, so that each has one signal.
    pub(crate) run: AtomicU64,
    pub(crate) watched_run: AtomicU64,
    pub(crate) drawings: Drawings,
    pub(crate) outputs: Outputs,
    /// What built-in tools that run on functions of the script have saved on this machine.
    pub(crate) saved_output: SavedOutput,
}

impl Bridge {
    pub(crate) fn new(
        name: String,
        file: PathBuf,
        options: ScriptOptions,
        runtime: RuntimeHandle,
    ) -> Self {
        Self {
            name,
            file,
            options,
            runtime,
            api: OnceLock::new(),
            running: OnceLock::new(),
            rights: Rights::default(),
            scopes: Mutex::default(),
            last_scope: AtomicU64::new(0),
            run: AtomicU64::new(0),
            watched_run: AtomicU64::new(u64::MAX),
            drawings: Drawings::default(),
            outputs: Outputs::default(),
            saved_output: SavedOutput::default(),
        }
    }

    /// Opens a scope; it is known until the answer is dropped.
    pub(crate) fn open(self: &Arc<Self>, scope: Scope) -> OpenScope {
        let id = match &scope {
            Scope::Tool(context) => context.call.call_id.to_string(),
            _ => format!("s{}", self.last_scope.fetch_add(1, Ordering::Relaxed)),
        };
        self.rights.opened(&scope);
        lock(&self.scopes).insert(id.clone(), scope);
        OpenScope {
            id,
            bridge: self.clone(),
        }
    }

    pub(crate) fn scope(&self, id: &str) -> Option<Scope> {
        lock(&self.scopes).get(id).cloned()
    }

    /// Returns the open scopes.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        lock(&self.scopes).values().cloned().collect()
    }

    /// Returns the call that runs, if it is the only one: then what the script does is done by it.
    pub(crate) fn only_call(&self) -> Option<ToolContext> {
        let scopes = lock(&self.scopes);
        let mut calls = scopes.values().filter_map(|scope| match scope {
            Scope::Tool(call) => Some(call),
            _ => None,
        });
        let only = calls.next()?;
        calls.next().is_none().then(|| only.clone())
    }

    pub(crate) fn running(&self) -> Option<Arc<Running>> {
        self.running.get().and_then(Weak::upgrade)
    }

    pub(crate) fn notice(&self, level: LogLevel, text: String) {
        (self.options.notices)(&ScriptNotice {
            file: self.file.clone(),
            level,
            text,
        });
    }
}

/// A scope that scripts can name.
pub(crate) struct OpenScope {
    pub(crate) id: String,
    bridge: Arc<Bridge>,
}

impl Drop for OpenScope {
    fn drop(&mut self) {
        let scope = lock(&self.bridge.scopes).remove(&self.id);
        if let Some(scope) = scope {
            self.bridge.rights.closed(&scope);
        }
    }
}
