use std::sync::Arc;
use std::time::Duration;

use deed_agent::Caught;
use deed_tooling::{Layer, RegisterError, RegisteredTool, ToolDefinition};

use super::{Core, ExtensionHost, Loaded, Phase};
use crate::tool::ExtensionTool;
use crate::{Extension, ExtensionApi, Problem, SessionShutdownEvent, SessionStartEvent};

/// How long all handlers of the end of a session may take together.
const SHUTDOWN_TIME: Duration = Duration::from_secs(5);

/// Kinds of places whose tools a policy trusts to say what they touch.
const RESERVED_SOURCES: [&str; 2] = ["builtin", "sdk"];

impl ExtensionHost {
    /// Lets extensions register, one after the other; [`ExtensionHost::start`] comes next.
    ///
    /// What goes wrong with one is a [`Diagnostic`](crate::Diagnostic), and the others are loaded.
    pub async fn load(&self, extensions: &[Arc<dyn Extension>]) {
        for extension in extensions {
            self.load_one(extension.as_ref()).await;
        }
        self.0.check_given_flags();
    }

    /// Tells extensions that the session starts; from here on they may act. Once is enough: what
    /// comes later is ignored.
    pub async fn start(&self, event: SessionStartEvent) {
        if self.0.begin() {
            self.0.tell_event(event, &self.0.cancellation()).await;
        }
    }

    async fn load_one(&self, extension: &dyn Extension) {
        let loaded = Arc::new(Loaded::new(extension.name(), extension.source()));
        let source = &loaded.source;
        if self.extensions().iter().any(|one| one.path == source.path) {
            let reason = "another extension of the same place was loaded before it";
            self.0.note(source, Problem::NotLoaded(reason.to_owned()));
            return;
        }
        if RESERVED_SOURCES.contains(&&*source.source) {
            let reason = format!(
                "it says that it comes from `{}`, which is not for extensions to say",
                source.source
            );
            self.0.note(source, Problem::NotLoaded(reason));
            return;
        }
        let api = ExtensionApi::new(&self.0, &loaded);
        let problem = match Caught::new(|| extension.register(&api)).await {
            Ok(Ok(())) => return self.0.commit(loaded),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => format!("it panicked while it registered: {panic}"),
        };
        self.0.note(source, Problem::NotLoaded(problem));
    }

    /// Tells extensions that the session ends; after that what they hold of it is stale.
    ///
    /// A handler that takes more than five seconds is let go.
    pub async fn close(&self, mut event: SessionShutdownEvent) {
        if !self.0.begin_closing() {
            return;
        }
        let context = self.0.context(&self.0.cancellation());
        let over = tokio::time::sleep(SHUTDOWN_TIME);
        self.0
            .dispatch(&mut event, &context, over, |_, ()| Core::go_on())
            .await;
        self.0.enter(Phase::Closed);
    }
}

impl Core {
    /// Makes an extension part of the session, with what it registered.
    fn commit(&self, loaded: Arc<Loaded>) {
        self.drop_taken_flags(&loaded);
        self.extensions_mut().push(loaded.clone());
        let tools = loaded.registered().waiting_tools.take();
        for definition in tools.into_iter().flatten() {
            // What cannot be registered is noted, and the extension stays.
            self.register_tool(&loaded, definition).ok();
        }
    }

    pub(crate) fn register_tool(
        &self,
        loaded: &Loaded,
        definition: Arc<dyn ToolDefinition>,
    ) -> Result<(), RegisterError> {
        let source = loaded.source.clone();
        let definition = Arc::new(ExtensionTool(definition));
        let tool = RegisteredTool::new(Layer::Extension, source.clone(), definition);
        self.session.registry().register(tool).inspect_err(|error| {
            self.note(&source, Problem::NotRegistered(error.to_string()));
        })
    }
}
