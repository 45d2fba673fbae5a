use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use deed_agent::Model;
use deed_models::catalogue::{Overrides, ProviderInfo};
use deed_models::{Catalogue, KeySource, ModelSpec, RemoteModel, Script, ScriptedModel, StaticKey};
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value};

use super::address::UNNAMED;
use super::{ModelChoiceError, ModelChooserConfig, ModelNotice, ModelPick, ModelWish, PickedBy};

/// The thinking level of a model that thinks, where nobody says anything.
const USUAL_THINKING: ThinkingLevel = ThinkingLevel::Medium;

/// Chooses models, and makes them.
pub struct ModelChooser {
    pub(super) config: ModelChooserConfig,
    catalogue: Arc<Catalogue>,
    /// What extensions added.
    pub(super) registered: RwLock<Registered>,
    /// The key of the command line and the provider that it is for.
    given_key: Mutex<Option<(String, String)>>,
}

/// What extensions added to the models.
#[derive(Default)]
pub(super) struct Registered {
    pub(super) providers: Map<String, Value>,
    pub(super) keys: BTreeMap<String, String>,
    /// The list with it, once there is something.
    pub(super) catalogue: Option<Arc<Catalogue>>,
}

/// A model that is to be made.
pub(super) struct Choice {
    pub(super) spec: ModelSpec,
    /// The level that stood behind its name.
    pub(super) thinking: Option<ThinkingLevel>,
    pub(super) by: PickedBy,
    /// Whether somebody wrote down what it can do.
    pub(super) is_listed: bool,
}

impl ModelChooser {
    /// Makes a chooser; no list is read yet.
    ///
    /// Errors: the settings describe a provider wrongly.
    pub fn new(config: ModelChooserConfig) -> Result<Self, ModelChoiceError> {
        let providers = Value::Object(config.settings.providers.0.clone());
        let catalogue = Catalogue::bundled().with(Overrides::read(&providers)?);
        Ok(Self {
            config,
            catalogue: Arc::new(catalogue),
            registered: RwLock::default(),
            given_key: Mutex::new(None),
        })
    }

    /// Returns the list of models, with what settings and extensions lay over it.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        let registered = self.registered.read();
        let registered = registered.unwrap_or_else(PoisonError::into_inner);
        let with_those = registered.catalogue.as_ref();
        with_those.unwrap_or(&self.catalogue).clone()
    }

    /// Chooses the model that is asked for, or the one to take if none is.
    ///
    /// Errors: say what is missing and what to do; nothing was sent to a provider.
    ///
    /// Cancellation: dropping the future closes what connections it made on this machine.
    pub async fn choose(&self, wish: &ModelWish) -> Result<ModelPick, ModelChoiceError> {
        let asked = wish.model.as_deref().unwrap_or_default();
        if let Some(path) = asked.strip_prefix("script:") {
            return self.scripted(path);
        }
        let mut notices = Vec::new();
        let mut choice = self.choice(wish, &mut notices).await?;
        if let Some(api) = wish.api {
            choice.spec.api = api;
        }
        if let Some(key) = &wish.api_key {
            self.give_key(&choice.spec.provider, key);
        }
        Ok(self.pick(choice, wish, notices))
    }

    /// Makes a model of what is known of it.
    pub fn make(&self, spec: ModelSpec) -> Arc<dyn Model> {
        let keys = self.keys(&spec);
        let (transport, now_ms) = (self.config.transport.clone(), self.config.now_ms);
        let mut model = RemoteModel::new(spec, keys, transport, now_ms);
        if let Some(key) = &self.config.cache_key {
            model = model.with_cache_key(key.clone());
        }
        model.set_blocks_images(self.config.blocks_images);
        Arc::new(model)
    }

    async fn choice(
        &self,
        wish: &ModelWish,
        notices: &mut Vec<ModelNotice>,
    ) -> Result<Choice, ModelChoiceError> {
        if let Some(address) = &wish.base_url {
            return self.at_address(address, wish).await;
        }
        if let Some(name) = &wish.model {
            return self.named(name, wish).await;
        }
        if let Some(provider) = &wish.provider {
            return self.of_provider(provider, wish.api_key.is_some()).await;
        }
        if wish.api_key.is_some() {
            return Err(ModelChoiceError::KeyForNobody);
        }
        if let Some(choice) = self.resumed(wish, notices).await {
            return Ok(choice);
        }
        if let Some(choice) = self.of_settings().await? {
            return Ok(choice);
        }
        self.unasked(notices).await
    }

    async fn resumed(&self, wish: &ModelWish, notices: &mut Vec<ModelNotice>) -> Option<Choice> {
        let resumed = wish.resumed.as_ref()?;
        let exact = ModelWish::exactly(&resumed.provider, &resumed.model_id);
        match self.named(&resumed.model_id, &exact).await {
            Ok(choice) => Some(Choice {
                by: PickedBy::Session,
                ..choice
            }),
            Err(error) => {
                notices.push(ModelNotice::SessionModel {
                    provider: resumed.provider.clone(),
                    model: resumed.model_id.clone(),
                    why: error.to_string(),
                });
                None
            }
        }
    }

    async fn of_settings(&self) -> Result<Option<Choice>, ModelChoiceError> {
        let settings = &self.config.settings;
        let choice = match (&settings.model, &settings.provider) {
            (Some(name), provider) => {
                let wish = ModelWish {
                    provider: provider.clone(),
                    ..ModelWish::default()
                };
                self.named(name, &wish).await?
            }
            (None, Some(provider)) => self.of_provider(provider, false).await?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Choice {
            by: PickedBy::Settings,
            ..choice
        }))
    }

    fn pick(&self, choice: Choice, wish: &ModelWish, mut notices: Vec<ModelNotice>) -> ModelPick {
        let mut spec = choice.spec;
        let resumed = match choice.by {
            PickedBy::Session => wish.resumed_thinking,
            _ => None,
        };
        let said = wish.thinking.or(choice.thinking).or(resumed);
        if let Some(level) = said
            && level != ThinkingLevel::Off
            && !choice.is_listed
            && spec.thinking_levels.is_empty()
        {
            // Nobody knows what the model can do; the person who asks for it may.
            spec.thinking_levels = vec![level];
        }
        let asked = said.or(self.config.settings.thinking);
        let used = spec.fitted(asked.unwrap_or(USUAL_THINKING));
        if let Some(asked) = asked.filter(|asked| *asked != used) {
            let model = format!("{}/{}", spec.provider, spec.id);
            notices.push(ModelNotice::Thinking { model, asked, used });
        }
        ModelPick {
            spec: Some(Arc::new(spec.clone())),
            model: self.make(spec),
            thinking: used,
            by: choice.by,
            notices,
        }
    }

    fn scripted(&self, path: &str) -> Result<ModelPick, ModelChoiceError> {
        let path = self.config.cwd.join(path);
        let text = std::fs::read_to_string(&path).map_err(|source| {
            let path = path.clone();
            ModelChoiceError::UnreadableScript { path, source }
        })?;
        let script =
            Script::parse(&text).map_err(|source| ModelChoiceError::BadScript { path, source })?;
        Ok(ModelPick {
            model: Arc::new(ScriptedModel::new(script, self.config.now_ms)),
            spec: None,
            thinking: ThinkingLevel::Off,
            by: PickedBy::Wish,
            notices: Vec::new(),
        })
    }

    fn give_key(&self, provider: &str, key: &str) {
        let mut given = self
            .given_key
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *given = Some((provider.to_owned(), key.to_owned()));
    }

    pub(super) fn has_given_key(&self, provider: &str) -> bool {
        self.given_key(provider).is_some()
    }

    fn given_key(&self, provider: &str) -> Option<String> {
        let registered = self.registered.read();
        let registered = registered.unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = registered.keys.get(provider) {
            return Some(key.clone());
        }
        drop(registered);
        let given = self
            .given_key
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (whose, key) = given.as_ref()?;
        (whose == provider).then(|| key.clone())
    }

    fn keys(&self, spec: &ModelSpec) -> Arc<dyn KeySource> {
        if let Some(key) = self.given_key(&spec.provider) {
            return Arc::new(StaticKey(Some(key)));
        }
        let known = match &*spec.provider {
            // The list knows nothing of it, and is not read for it.
            UNNAMED => None,
            provider => self.info(provider),
        };
        Arc::new(self.key_of(&spec.provider, known.as_ref()))
    }

    /// Returns what is known of a provider; the list is read for it.
    pub(super) fn info(&self, provider: &str) -> Option<ProviderInfo> {
        self.catalogue()
            .providers()
            .find(|known| known.id == provider)
    }
}

impl fmt::Debug for ModelChooser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(f)
    }
}
