use std::collections::BTreeMap;
use std::fmt;

use deed_protocol::ThinkingLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Named, OverrideError, compat};
use crate::merge::{lay_over, merge};
use crate::{Api, Prices, Quirks};

/// What settings say of providers.
///
/// Shape: an object of [`ProviderSettings`] by id. Pi's `models.json` reads as one too: its
/// `providers`, `compat`, `reasoning`, `thinkingLevelMap` and `modelOverrides`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Overrides {
    /// The providers by id.
    pub providers: Named<ProviderSettings>,
}

/// What is known of a provider, or laid over that.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProviderSettings {
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is reached, without the path of the interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How it is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Where its key comes from, in the words of the settings; whoever gets the key reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Environment variables that hold its key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_variables: Vec<String>,
    /// Header fields to send.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: Named<String>,
    /// Members of the request body; `null` takes one away.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
    /// Where it differs, in the words of [`Quirks`].
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub quirks: Map<String, Value>,
    /// Where it differs, in Pi's words.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub compat: Map<String, Value>,
    /// Whether it runs on this machine and wants no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_local: Option<bool>,
    /// The model to take if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// What holds for all its models, also for those on no list.
    pub model_defaults: ModelSettings,
    /// Its models; one that is listed already is laid over that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelSettings>,
    /// Laid over models that are listed, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub model_overrides: Named<ModelSettings>,
}

/// What is known of a model, or laid over that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// Its id, as the provider wants it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it is reached, if otherwise than the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// Where it is reached, if elsewhere than the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Header fields to send.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: Named<String>,
    /// Members of the request body; `null` takes one away.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
    /// How much a request may hold.
    ///
    /// Units: tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How much it may write at once.
    ///
    /// Units: tokens.
    #[serde(skip_serializing_if = "Option::is_none", alias = "maxOutputTokens")]
    pub max_tokens: Option<u64>,
    /// What it takes: `text`, `image`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<String>>,
    /// Whether it thinks, where its levels are not named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// The thinking levels it knows beside `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_levels: Option<Vec<ThinkingLevel>>,
    /// What its levels are called; `null` for one that it does not know.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub thinking_level_map: Named<Option<String>>,
    /// What it costs: all of its prices, so that those laid over others leave none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Prices>,
    /// Where it differs, in the words of [`Quirks`].
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub quirks: Map<String, Value>,
    /// Where it differs, in Pi's words.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub compat: Map<String, Value>,
}

impl Overrides {
    /// Reads the providers of settings, or a whole `models.json` of Pi.
    ///
    /// Errors: which provider is wrong, and what about it.
    pub fn read(value: &Value) -> Result<Self, OverrideError> {
        let inner = value.get("providers").filter(|inner| inner.is_object());
        let Some(providers) = inner.unwrap_or(value).as_object() else {
            return Err(OverrideError::NotAnObject);
        };
        let mut overrides = Self::default();
        for (id, value) in providers {
            let settings = ProviderSettings::deserialize(value);
            let wrong = |why: serde_json::Error| OverrideError::Provider {
                provider: id.clone(),
                why: why.to_string(),
            };
            let settings = settings.map_err(wrong)?;
            settings.check().map_err(wrong)?;
            overrides.providers.insert(id.clone(), settings);
        }
        Ok(overrides)
    }
}

impl ProviderSettings {
    /// Reads all quirks once, so that a wrong one is told when the settings are read.
    fn check(&self) -> Result<(), serde_json::Error> {
        self.quirks(&ModelSettings::default())?;
        let models = self.models.iter().chain(self.model_overrides.values());
        for model in models.chain([&self.model_defaults]) {
            self.quirks(model)?;
        }
        Ok(())
    }

    /// Returns where a model differs, all layers taken together.
    pub(super) fn quirks(&self, model: &ModelSettings) -> Result<Quirks, serde_json::Error> {
        let mut quirks = Map::new();
        let layers = [
            compat::quirks(&self.compat),
            self.quirks.clone(),
            compat::quirks(&model.compat),
            model.quirks.clone(),
        ];
        for layer in layers {
            merge(&mut quirks, &layer);
        }
        let mut quirks: Quirks = serde_json::from_value(Value::Object(quirks))?;
        for (level, word) in &model.thinking_level_map {
            if let (Ok(level), Some(word)) = (level.parse(), word) {
                quirks.thinking_words.insert(level, word.clone());
            }
        }
        Ok(quirks)
    }

    /// Lays other settings over these.
    pub(super) fn lay_over(&mut self, over: &Self) {
        replace(&mut self.name, &over.name);
        replace(&mut self.base_url, &over.base_url);
        replace(&mut self.api, &over.api);
        replace(&mut self.api_key, &over.api_key);
        replace(&mut self.is_local, &over.is_local);
        replace(&mut self.default_model, &over.default_model);
        if !over.key_variables.is_empty() {
            self.key_variables.clone_from(&over.key_variables);
        }
        self.headers.extend(over.headers.clone());
        lay_over(&mut self.extra_body, &over.extra_body);
        lay_over(&mut self.quirks, &over.quirks);
        lay_over(&mut self.compat, &over.compat);
        self.model_defaults.lay_over(&over.model_defaults);
        for model in &over.models {
            self.lay_over_model(&model.id, model);
        }
        for (id, model) in &over.model_overrides {
            self.lay_over_model(id, model);
        }
    }

    fn lay_over_model(&mut self, id: &str, over: &ModelSettings) {
        match self.models.iter_mut().find(|known| known.id == id) {
            Some(known) => known.lay_over(over),
            None => self.models.push(ModelSettings {
                id: id.to_owned(),
                ..over.clone()
            }),
        }
    }
}

impl ModelSettings {
    /// Lays other settings over these; the id stays.
    pub(super) fn lay_over(&mut self, over: &Self) {
        replace(&mut self.name, &over.name);
        replace(&mut self.api, &over.api);
        replace(&mut self.base_url, &over.base_url);
        replace(&mut self.context_window, &over.context_window);
        replace(&mut self.max_tokens, &over.max_tokens);
        replace(&mut self.input, &over.input);
        replace(&mut self.cost, &over.cost);
        if over.reasoning.is_some() || over.thinking_levels.is_some() {
            self.reasoning = over.reasoning;
            self.thinking_levels.clone_from(&over.thinking_levels);
        }
        self.thinking_level_map
            .extend(over.thinking_level_map.clone());
        self.headers.extend(over.headers.clone());
        lay_over(&mut self.extra_body, &over.extra_body);
        lay_over(&mut self.quirks, &over.quirks);
        lay_over(&mut self.compat, &over.compat);
    }
}

fn replace<T: Clone>(known: &mut Option<T>, over: &Option<T>) {
    if over.is_some() {
        known.clone_from(over);
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the key nor what stands in header fields is for eyes.
        f.debug_struct("ProviderSettings")
            .field("name", &self.name)
            .field("base_url", &self.base_url)
            .field("api", &self.api)
            .field("models", &self.models.len())
            .finish_non_exhaustive()
    }
}
