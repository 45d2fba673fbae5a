use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_protocol::SourceInfo;
use deed_tooling::ToolDefinition;

use crate::command::Command;
use crate::flag::Flag;
use crate::handler::Handlers;
use crate::shortcut::Shortcut;
use crate::{Draws, Renderer};

/// One extension and what it registered.
pub(crate) struct Loaded {
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<SourceInfo>,
    pub(crate) handlers: Arc<Handlers>,
    registered: Mutex<Registered>,
    /// What was drawn wrong and has been said so.
    drawn_wrong: Mutex<HashSet<(&'static str, String)>>,
}

/// What an extension registered, handlers apart.
#[derive(Default)]
pub(crate) struct Registered {
    pub(crate) commands: Vec<Command>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) shortcuts: Vec<Shortcut>,
    pub(crate) renderers: Vec<(Draws, Arc<dyn Renderer>)>,
    /// Tools that wait until the extension is loaded; `None` from then on.
    pub(crate) waiting_tools: Option<Vec<Arc<dyn ToolDefinition>>>,
}

impl Registered {
    /// Adds a flag, or puts it in the place of an earlier one.
    pub(crate) fn put_flag(&mut self, flag: Flag) {
        self.flags.retain(|there| there.name != flag.name);
        self.flags.push(flag);
    }

    /// Adds a renderer, or puts it in the place of an earlier one for the same.
    pub(crate) fn put_renderer(&mut self, draws: Draws, renderer: Arc<dyn Renderer>) {
        match self.renderers.iter_mut().find(|(there, _)| *there == draws) {
            Some((_, there)) => *there = renderer,
            None => self.renderers.push((draws, renderer)),
        }
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
            drawn_wrong: Mutex::default(),
        }
    }

    /// Tells whether a drawing that failed has not failed before.
    pub(crate) fn is_news(&self, event: &'static str, name: &str) -> bool {
        let told = self.drawn_wrong.lock();
        let mut told = told.unwrap_or_else(PoisonError::into_inner);
        told.insert((event, name.to_owned()))
    }

    pub(crate) fn registered(&self) -> MutexGuard<'_, Registered> {
        self.registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
