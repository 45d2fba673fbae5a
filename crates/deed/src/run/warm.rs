use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{Event, EventBody};
use deed_tooling::ToolRegistry;

/// Builds what checks the arguments of the active tools while the model is asked for the first time:
/// the first call would wait for it, and models take longer.
#[derive(Debug)]
pub(super) struct WarmUp {
    is_warm: AtomicBool,
    registry: Arc<ToolRegistry>,
}

impl WarmUp {
    pub(super) fn new(registry: Arc<ToolRegistry>) -> Self {
        Self {
            is_warm: AtomicBool::new(false),
            registry,
        }
    }
}

impl BarrierSink for WarmUp {
    fn name(&self) -> &str {
        "warm-up"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let asks_soon = matches!(event.body, EventBody::TurnStart);
        if asks_soon && !self.is_warm.swap(true, Ordering::Relaxed) {
            let registry = self.registry.clone();
            std::thread::spawn(move || warm_up(&registry));
        }
        Box::pin(async { Ok(()) })
    }
}

fn warm_up(registry: &ToolRegistry) {
    let active = registry.active_names().into_iter();
    for tool in active.filter_map(|name| registry.get(&name)) {
        // A schema that cannot be used is told with the first call.
        tool.spec().parameters.warm().ok();
    }
}
