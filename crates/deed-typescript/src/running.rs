//! An extension that is loaded, through the death of its engine.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use deed_extensions::Subscription;
use serde_json::json;
use tokio::sync::Mutex as AsyncMutex;

use crate::bridge::Bridge;
use crate::handle::Handle;
use crate::isolate;
use crate::ops::{LogLevel, OpContext, lock};
use crate::{Death, ScriptError};

/// How often an engine that died is made anew.
const RESTARTS: usize = 1;

/// A loaded extension. With the last one that holds it, its engine ends.
pub(crate) struct Running {
    pub(crate) bridge: Arc<Bridge>,
    engine: Mutex<Option<Engine>>,
    /// Held while an engine is made, so that one is made for all who wait.
    restarts: AsyncMutex<usize>,
    disabled: OnceLock<ScriptError>,
    /// Events that come here, whichever engine wants them.
    listening: Mutex<HashMap<String, Subscription>>,
}

#[derive(Clone)]
struct Engine {
    handle: Handle,
    operations: Arc<OpContext>,
}

impl Running {
    pub(crate) fn new(bridge: Arc<Bridge>) -> Arc<Self> {
        let running = Arc::new(Self {
            bridge,
            engine: Mutex::default(),
            restarts: AsyncMutex::default(),
            disabled: OnceLock::new(),
            listening: Mutex::default(),
        });
        // New for each bridge, so nothing is there yet.
        running.bridge.running.set(Arc::downgrade(&running)).ok();
        running.bridge.options.bus.join(&running);
        running
    }

    /// Makes an engine, which gets ready on its own thread.
    fn start(&self) -> Engine {
        let make = |commands| Arc::new(OpContext::new(self.bridge.clone(), commands));
        let (handle, operations) =
            isolate::start(&self.bridge.name, self.bridge.options.limits, make);
        Engine { handle, operations }
    }

    /// Makes the first engine ahead of time.
    pub(crate) fn prepare(&self) {
        lock(&self.engine).get_or_insert_with(|| self.start());
    }

    /// Loads the extension for the first time.
    ///
    /// Errors: nothing of it runs any more.
    pub(crate) async fn load(&self) -> Result<(), ScriptError> {
        self.prepare();
        let engine = lock(&self.engine).clone();
        match engine {
            Some(engine) => self.load_into(&engine).await,
            None => Err(ScriptError::Dead(Death::Closed)),
        }
    }

    async fn load_into(&self, engine: &Engine) -> Result<(), ScriptError> {
        let file = &self.bridge.file;
        let folder = file.parent().unwrap_or(Path::new("/"));
        let info = json!({ "path": file, "dir": folder, "name": self.bridge.name }).to_string();
        let limit = self.bridge.options.limits.factory_time;
        let loaded = tokio::time::timeout(limit, engine.handle.load(file, info)).await;
        let loaded = loaded.unwrap_or_else(|_| {
            let path = file.clone();
            Err(ScriptError::FactoryTime { path, limit })
        });
        if loaded.is_err() {
            engine.handle.kill(Death::Closed);
        }
        loaded
    }

    /// Tells whether the script has handlers for an event; without an engine it may have.
    pub(crate) fn wants(&self, event: &str) -> bool {
        let engine = lock(&self.engine);
        engine
            .as_ref()
            .is_none_or(|engine| engine.handle.death().is_some() || engine.operations.wants(event))
    }

    pub(crate) fn is_listening(&self, event: &str) -> bool {
        lock(&self.listening).contains_key(event)
    }

    pub(crate) fn listens(&self, event: &str, subscription: Subscription) {
        lock(&self.listening).insert(event.to_owned(), subscription);
    }

    /// Tells why the extension is disabled, if it is.
    pub(crate) fn disabled(&self) -> Option<&ScriptError> {
        self.disabled.get()
    }

    /// Calls a function of the JavaScript host, in a new engine if the old one is dead.
    ///
    /// Errors: also that the engine died meanwhile, which is then not tried again: nobody knows how
    /// far it came.
    pub(crate) async fn call(
        self: &Arc<Self>,
        function: &'static str,
        args: Vec<String>,
    ) -> Result<Option<String>, ScriptError> {
        self.live().await?.call(function, args).await
    }

    /// Calls a function of the JavaScript host and does not wait.
    pub(crate) fn tell(&self, function: &'static str, args: Vec<String>) {
        if let Some(engine) = lock(&self.engine).as_ref() {
            engine.handle.tell(function, args);
        }
    }

    /// Ends the engine with the session.
    pub(crate) fn close(&self) {
        self.disabled.set(ScriptError::Dead(Death::Closed)).ok();
        if let Some(engine) = lock(&self.engine).as_ref() {
            engine.handle.kill(Death::Closed);
        }
    }

    /// Returns an engine that lives.
    async fn live(self: &Arc<Self>) -> Result<Handle, ScriptError> {
        if let Some(handle) = self.current()? {
            return Ok(handle);
        }
        // On its own, so that one who stops waiting does not stop it for all.
        let making = self.clone();
        let made = self
            .bridge
            .runtime
            .spawn(async move { making.revive().await });
        made.await.unwrap_or(Err(ScriptError::Dead(Death::Closed)))
    }

    /// Errors: the extension is disabled.
    fn current(&self) -> Result<Option<Handle>, ScriptError> {
        if let Some(error) = self.disabled() {
            return Err(error.clone());
        }
        let engine = lock(&self.engine);
        let handle = engine.as_ref().map(|engine| engine.handle.clone());
        Ok(handle.filter(|handle| handle.death().is_none()))
    }

    async fn revive(&self) -> Result<Handle, ScriptError> {
        let mut restarts = self.restarts.lock().await;
        if let Some(handle) = self.current()? {
            return Ok(handle);
        }
        let death = lock(&self.engine)
            .as_ref()
            .and_then(|engine| engine.handle.death());
        let death = death.unwrap_or(Death::Closed);
        if let Some(drawing) = self.bridge.drawings.died() {
            let text = format!("the engine died of drawing, which is not tried again: {drawing}");
            self.bridge.notice(LogLevel::Warning, text);
        }
        if *restarts >= RESTARTS {
            return Err(self.disable(ScriptError::Dead(death)));
        }
        *restarts += 1;
        self.bridge.notice(
            LogLevel::Warning,
            format!("{death}; it is loaded again, once"),
        );
        let engine = self.start();
        // Before it loads: what registers asks which engine is there.
        *lock(&self.engine) = Some(engine.clone());
        if let Err(error) = self.load_into(&engine).await {
            return Err(self.disable(error));
        }
        if engine.operations.wants("session_start") {
            let event = json!({ "type": "session_start", "reason": "reload" }).to_string();
            let args = vec!["session_start".to_owned(), event];
            engine.handle.call("event", args).await?;
        }
        Ok(engine.handle)
    }

    fn disable(&self, error: ScriptError) -> ScriptError {
        if self.disabled.set(error.clone()).is_ok() {
            let text = format!("disabled for the rest of the session: {error}");
            self.bridge.notice(LogLevel::Error, text);
        }
        error
    }
}
