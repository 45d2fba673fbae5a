use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_protocol::SourceInfo;
use deed_tooling::ToolDefinition;

use crate::command::Command;
use crate::flag::Flag;
use crate::handler::Handlers;

/// One extension and what it registered.
pub(crate) struct Loaded {
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<SourceInfo>,
    pub(crate) handlers: Arc<Handlers>,
    registered: Mutex<Registered>,
}

/// What an extension registered, handlers apart.
#[derive(Default)]
pub(crate) struct Registered {
    pub(crate) commands: Vec<Command>,
    pub(crate) flags: Vec<Flag>,
    /// Tools that wait until the extension is loaded; `None` from then on.
    pub(crate) waiting_tools: Option<Vec<Arc<dyn ToolDefinition>>>,
}

impl Registered {
    /// Adds a flag, or puts it in the place of an earlier one.
    pub(crate) fn put_flag(&mut self, flag: Flag) {
        self.flags.retain(|there| there.name != flag.name);
        self.flags.push(flag);
    }
}

impl Loaded {
    /// Makes an extension that is about to register.
    pub(crate) fn new(name: &str, source: SourceInfo) -> Self {
        Self {
            name: name.into(),
            source: Arc::new(source),
            handlers: Arc::default(),
            registered: Mutex::new(Registered {
                waiting_tools: Some(Vec::new()),
                ..Registered::default()
            }),
        }
    }

    pub(crate) fn registered(&self) -> MutexGuard<'_, Registered> {
        self.registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
