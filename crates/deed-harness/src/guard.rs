use std::sync::Arc;

use deed_extensions::ExtensionHost;
use deed_guard::{GuardGate, LiveTools};
use deed_tooling::{DeniedTools, Selection, ToolRegistry};

/// Makes the registry of a session: what a guard denies whole is not known in it, and the guard
/// looks into it before each call.
pub(crate) fn guarded_registry(
    mut selection: Selection,
    guard: Option<&GuardGate>,
) -> Arc<ToolRegistry> {
    let Some(guard) = guard else {
        return Arc::new(ToolRegistry::new(selection));
    };
    let hides = guard.clone();
    selection.denied = DeniedTools::asking(move |spec| hides.hides(spec));
    let registry = Arc::new(ToolRegistry::new(selection));
    guard.watch_tools(Arc::new(KnownTools(registry.clone())));
    registry
}

/// Writes down what fails in extensions.
pub(crate) fn record_failures(guard: &GuardGate, extensions: &ExtensionHost) {
    let guard = guard.clone();
    extensions.on_failure(move |failure| {
        guard.note_failed_handler(&failure.extension.path, failure.event, &failure.error);
    });
}

struct KnownTools(Arc<ToolRegistry>);

impl LiveTools for KnownTools {
    fn is_known(&self, tool: &str) -> bool {
        self.0.get(tool).is_some()
    }
}
