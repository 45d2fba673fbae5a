//! What a first call would wait for, done while the model is asked.

use std::sync::Arc;
use std::thread::spawn;

use deed_tooling::ToolRegistry;

/// Loads what any validation needs; the earlier the better, since nothing else is needed for it.
pub(super) fn validation() {
    spawn(deed_schema::warm_up);
}

/// Builds what checks the arguments of the active tools.
pub(super) fn tools(registry: Arc<ToolRegistry>) {
    spawn(move || {
        let active = registry.active_names().into_iter();
        for tool in active.filter_map(|name| registry.get(&name)) {
            // A schema that cannot be used is told with the first call.
            tool.spec().parameters.warm().ok();
        }
    });
}
