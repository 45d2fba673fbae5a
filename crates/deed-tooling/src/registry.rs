//! All tools of a session, and which of them a model may call.

mod check;
mod rows;
mod state;
mod tool;

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use deed_agent::ToolSet;

pub use check::RegisterError;
pub use rows::{ToolInfo, ToolRow};
pub use tool::{Layer, RegisteredTool};

use crate::{
    ActiveChange, ActiveChanged, ContextSource, Selection, ToolPrompt, UnmatchedName,
    wrap_registered_tool,
};

/// All tools of a session, and which of them a model may call.
///
/// Three sets, each within the one before: registered, known (what the selection lets through), and
/// active. What is declared to a provider is the active set. Layers: an extension's tool takes the
/// place of a built-in one of the same name, one of the embedding program the place of both; it does
/// not wrap it. The selection is applied whenever a tool comes or goes, and nothing gets past it.
#[derive(Debug, Default)]
pub struct ToolRegistry {
    state: RwLock<state::State>,
}

/// The tools of one turn: what the loop may run, and what the prompt says of exactly these.
#[derive(Clone, Debug)]
pub struct ToolSnapshot {
    /// The state of the registry it was taken of; see [`ToolRegistry::revision`].
    pub revision: u64,
    /// The active tools.
    pub tools: Arc<ToolSet>,
    /// What the system prompt says of them.
    pub prompt: ToolPrompt,
}

impl ToolRegistry {
    /// Makes a registry without tools.
    pub fn new(selection: Selection) -> Self {
        Self {
            state: RwLock::new(state::State::new(selection)),
        }
    }

    /// Adds a tool; unless the selection objects it is active from the next snapshot on.
    ///
    /// Who registers a name again replaces their own tool.
    ///
    /// Errors: a name or a schema that no provider takes; a name that another of the same layer
    /// has. The error names the tool and its owner, and nothing has changed.
    pub fn register(&self, tool: RegisteredTool) -> Result<(), RegisterError> {
        self.write().register(tool)
    }

    /// Takes away all tools that come from `source_path`.
    pub fn unregister(&self, source_path: &str) {
        self.write().unregister(source_path, None);
    }

    /// Takes away the tool `name` that comes from `source_path`; tells whether there was one.
    pub fn unregister_tool(&self, source_path: &str, name: &str) -> bool {
        self.write().unregister(source_path, Some(name))
    }

    /// Applies another selection; the active set begins anew.
    pub fn set_selection(&self, selection: Selection) {
        self.write().set_selection(selection);
    }

    /// Returns a known tool, whether active or not.
    pub fn get(&self, name: &str) -> Option<RegisteredTool> {
        self.read()
            .known()
            .into_iter()
            .find(|tool| tool.name().as_ref() == name)
            .cloned()
    }

    /// Returns a tool that Deed ships, also where another took its place.
    pub fn built_in(&self, name: &str) -> Option<RegisteredTool> {
        self.read().built_in(name).cloned()
    }

    /// Returns what may be told of all known tools.
    pub fn get_all_tools(&self) -> Vec<ToolInfo> {
        self.read().known().into_iter().map(ToolInfo::of).collect()
    }

    /// Returns the names of the active tools in order.
    pub fn active_names(&self) -> Vec<Arc<str>> {
        self.read()
            .active()
            .into_iter()
            .map(|tool| tool.name().clone())
            .collect()
    }

    /// Makes exactly these tools active from the next snapshot on.
    ///
    /// Names that are not known are ignored. Tools that stay active keep their order, which keeps
    /// what a provider has cached; new ones come behind them.
    pub fn set_active_tools(&self, names: &[Arc<str>]) -> ActiveChanged {
        self.change_active_tools(&ActiveChange::Set(names.to_vec()))
    }

    /// Changes the active set in one step, from the next snapshot on.
    pub fn change_active_tools(&self, change: &ActiveChange) -> ActiveChanged {
        self.write().change_active(change)
    }

    /// Takes the tools of a turn; calls get their context from `context`.
    pub fn snapshot(&self, context: &Arc<dyn ContextSource>) -> ToolSnapshot {
        let state = self.read();
        let active = state.active();
        let names: Arc<HashSet<Arc<str>>> =
            Arc::new(active.iter().map(|tool| tool.name().clone()).collect());
        let tools = active
            .iter()
            .map(|tool| wrap_registered_tool(tool, context.clone(), names.clone()));
        ToolSnapshot {
            revision: state.revision,
            tools: Arc::new(ToolSet::new(tools)),
            prompt: ToolPrompt::of(&active),
        }
    }

    /// Returns a number that is another whenever a snapshot might be another.
    pub fn revision(&self) -> u64 {
        self.read().revision
    }

    /// Lists every registered tool, and why those are not active that are not.
    pub fn explain(&self) -> Vec<ToolRow> {
        self.read().rows()
    }

    /// Returns what in the lists of the selection names no registered tool.
    pub fn warnings(&self) -> Vec<UnmatchedName> {
        let state = self.read();
        let tools = state.effective();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name().as_ref()).collect();
        state.selection.unmatched(&names).collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, state::State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, state::State> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.revision += 1;
        state
    }
}
