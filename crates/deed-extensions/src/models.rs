use std::sync::Arc;

use deed_agent::{BoxFuture, Model};
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value};

/// The models that extensions may ask, and let answer, beside the one of the session.
pub trait ModelSource: Send + Sync + 'static {
    /// Lists them.
    fn list<'a>(&'a self) -> BoxFuture<'a, Vec<KnownModel>>;

    /// Makes one, which thinks as much of what is wanted as it can.
    ///
    /// Errors: there is none of that name, or it cannot be asked as things are; the text says what
    /// to do.
    fn make<'a>(
        &'a self,
        provider: &'a str,
        id: &'a str,
        thinking: ThinkingLevel,
    ) -> BoxFuture<'a, Result<MadeModel, String>>;

    /// Adds a provider, or lays what is said of one over it, for as long as the session is there.
    ///
    /// Shape: as providers stand in settings, or in Pi's `models.json`; `apiKey` is the key itself.
    ///
    /// Errors: the text says what is wrong with it.
    fn register(&self, provider: &str, settings: Value) -> Result<(), String>;

    /// Takes back what was registered of a provider.
    fn unregister(&self, provider: &str);
}

/// What is known of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownModel {
    /// Who runs it.
    pub provider: Arc<str>,
    /// Its id.
    pub id: Arc<str>,
    /// Whether it can be asked as things are.
    pub is_available: bool,
    /// All of it, as the RPC stream has models.
    pub facts: Map<String, Value>,
}

/// A model that can be asked.
#[derive(Clone)]
pub struct MadeModel {
    /// The model.
    pub model: Arc<dyn Model>,
    /// How much it will think.
    pub thinking: ThinkingLevel,
}

impl std::fmt::Debug for MadeModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MadeModel")
            .field("model", self.model.info())
            .field("thinking", &self.thinking)
            .finish()
    }
}
