use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::Model;
use deed_models::{Api, LOCAL_ENDPOINTS, ModelSpec, Transport, TransportOptions};
use deed_protocol::ThinkingLevel;
use deed_session::ModelChoice;

use crate::credentials::{Credentials, CredentialsConfig, KeyError};
use crate::settings::Settings;
use crate::wall_clock_ms;

/// What models are chosen from, and what they are made with.
#[derive(Clone)]
pub struct ModelChooserConfig {
    /// The folder that the paths of scripts start from.
    pub cwd: PathBuf,
    /// The settings; only what they say of models counts.
    pub settings: Settings,
    /// Where keys are looked for. A key of the command line belongs into [`ModelWish`]: it is for the
    /// model that is asked for with it, and must not go to another.
    pub credentials: Credentials,
    /// How models are reached.
    pub transport: Transport,
    /// The clock of answers.
    ///
    /// Units: milliseconds since 1970.
    pub now_ms: fn() -> i64,
    /// What providers may keep their caches under, such as the id of the session.
    pub cache_key: Option<Arc<str>>,
    /// Whether pictures are kept from models.
    pub blocks_images: bool,
    /// Where servers on this machine are looked for, beside those of the settings.
    pub local_places: &'static [(&'static str, &'static str)],
}

impl ModelChooserConfig {
    /// Begins with no settings and no keys.
    pub fn new(cwd: PathBuf) -> Self {
        Self {
            cwd,
            settings: Settings::default(),
            credentials: Credentials::new(CredentialsConfig::default()),
            transport: Transport::new(TransportOptions::default()),
            now_ms: wall_clock_ms,
            cache_key: None,
            blocks_images: false,
            local_places: LOCAL_ENDPOINTS,
        }
    }
}

impl fmt::Debug for ModelChooserConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelChooserConfig")
            .field("cwd", &self.cwd)
            .field("credentials", &self.credentials)
            .finish_non_exhaustive()
    }
}

/// What is asked for.
#[derive(Clone, Default)]
pub struct ModelWish {
    /// The model: `script:FILE`, `provider/id`, an id or a part of one, each with `:LEVEL` of thinking.
    pub model: Option<String>,
    /// Whose it is.
    pub provider: Option<String>,
    /// How it is reached; Chat Completions where only the address is given.
    pub api: Option<Api>,
    /// Where it is reached.
    pub base_url: Option<String>,
    /// The key of this model's provider, and of no other.
    pub api_key: Option<String>,
    /// How much it should think.
    pub thinking: Option<ThinkingLevel>,
    /// The model of the session that goes on.
    pub resumed: Option<ModelChoice>,
    /// How much that one thought.
    pub resumed_thinking: Option<ThinkingLevel>,
}

impl ModelWish {
    /// Asks for a model of a provider by its whole id.
    pub fn exactly(provider: &str, id: &str) -> Self {
        Self {
            model: Some(id.to_owned()),
            provider: Some(provider.to_owned()),
            ..Self::default()
        }
    }
}

impl fmt::Debug for ModelWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelWish")
            .field("model", &self.model)
            .field("provider", &self.provider)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

/// A model that was chosen.
#[derive(Clone)]
pub struct ModelPick {
    /// The model.
    pub model: Arc<dyn Model>,
    /// What is known of it; nothing of a script.
    pub spec: Option<Arc<ModelSpec>>,
    /// How much it will think.
    pub thinking: ThinkingLevel,
    /// Why it is this one.
    pub by: PickedBy,
    /// What a person should know of the choice.
    pub notices: Vec<ModelNotice>,
}

impl fmt::Debug for ModelPick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelPick")
            .field("model", self.model.info())
            .field("thinking", &self.thinking)
            .field("by", &self.by)
            .field("notices", &self.notices)
            .finish()
    }
}

/// Why a model was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickedBy {
    /// It was asked for.
    Wish,
    /// The session that goes on had it.
    Session,
    /// The settings name it.
    Settings,
    /// Its provider is the first whose key is set.
    Key,
    /// A server on this machine has it.
    LocalServer,
}

/// Something about a choice that a person should know.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelNotice {
    /// The model does not know the thinking level.
    #[error("{model} does not know the thinking level {asked}; it thinks {used}")]
    Thinking {
        /// The model.
        model: String,
        /// What was asked for.
        asked: ThinkingLevel,
        /// What it is.
        used: ThinkingLevel,
    },
    /// The model of the session cannot be used any more.
    #[error("the session was led with {provider}/{model}, which cannot be used now: {why}")]
    SessionModel {
        /// Who ran it.
        provider: String,
        /// Its id.
        model: String,
        /// Why not.
        why: String,
    },
    /// A key is set somewhere, and cannot be had.
    #[error(transparent)]
    Key(KeyError),
    /// No model was named and no key is set.
    #[error("no model was named; {model} of the server at {address} answers")]
    Local {
        /// The model.
        model: String,
        /// The server.
        address: String,
    },
}
