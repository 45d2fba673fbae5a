//! Which models there are, where they are reached and what they cost.
//!
//! A list comes with the program; settings lay theirs over it, field by field. The list is a
//! convenience of one day: models come and go and prices change, so every figure in it can be
//! overridden, and a model that it does not hold can be used all the same.
//!
//! Source: the model pages and price lists of the providers, as of November 2026.

mod build;
mod compat;
mod error;
mod find;
mod near;
mod settings;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use deed_protocol::ThinkingLevel;
use serde::Deserialize;

pub use error::{FindError, OverrideError};
pub use settings::{ModelSettings, Overrides, ProviderSettings};

use crate::{Api, ModelSpec};

const BUNDLED: &str = include_str!("../catalogue/models.json");

/// The models that can be asked for by name.
///
/// Nothing is read before something is looked up.
#[derive(Debug, Default)]
pub struct Catalogue {
    has_bundled: bool,
    overrides: Vec<Overrides>,
    providers: OnceLock<Vec<Provider>>,
}

/// A provider with all that is laid over each other.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    id: String,
    settings: ProviderSettings,
}

/// What people and programs want to know of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderInfo {
    /// Its id, such as `anthropic`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// How it is reached, if that is known.
    pub api: Option<Api>,
    /// Where it is reached, if that is known.
    pub base_url: Option<String>,
    /// Environment variables that hold its key; the first that is set counts.
    pub key_variables: Vec<String>,
    /// The model to take if none is named.
    pub default_model: Option<String>,
    /// Whether it runs on this machine and wants no key.
    pub is_local: bool,
}

/// A model that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model.
    pub spec: ModelSpec,
    /// The thinking level that stood behind its name.
    pub thinking: Option<ThinkingLevel>,
    /// How it was found.
    pub by: FoundBy,
}

/// How a model was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// By its whole name.
    Name,
    /// By a part of its name that no other has.
    Part,
    /// It is on no list; the provider may know it.
    Provider,
}

impl Catalogue {
    /// Returns the list that comes with the program.
    pub fn bundled() -> Self {
        Self {
            has_bundled: true,
            ..Self::default()
        }
    }

    /// Returns a list of nothing.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Lays settings over the list.
    #[must_use]
    pub fn with(mut self, overrides: Overrides) -> Self {
        self.overrides.push(overrides);
        self.providers = OnceLock::new();
        self
    }

    /// Returns all providers: those of the list in its order, then others.
    pub fn providers(&self) -> impl Iterator<Item = ProviderInfo> {
        self.merged().iter().map(Provider::info)
    }

    /// Returns all models that are listed; one without an address is left out.
    pub fn models(&self) -> impl Iterator<Item = ModelSpec> {
        let listed = |provider: &'_ Provider| -> Vec<ModelSpec> {
            let models = provider.settings.models.iter();
            models
                .filter_map(|model| build::spec(provider, model).ok())
                .collect()
        };
        self.merged().iter().flat_map(listed)
    }

    /// Finds a model by its name.
    ///
    /// Shape: `provider/id`, an id, or a part of an id or name that fits one model alone; behind it may
    /// stand `:` and a thinking level. With a provider, or one in front of a `/`, an id that is on no
    /// list is taken as it is.
    ///
    /// Errors: no model or several fit; the message names some that are near.
    pub fn find(&self, pattern: &str, provider: Option<&str>) -> Result<Found, FindError> {
        find::find(self.merged(), pattern.trim(), provider)
    }

    /// Finds the model of a provider that is taken if none is named.
    ///
    /// Errors: there is no such provider, or it has none.
    pub fn default_of(&self, provider: &str) -> Result<Found, FindError> {
        let known = find::provider(self.merged(), provider)?;
        let first = known.settings.models.first().map(|model| &model.id);
        match known.settings.default_model.as_ref().or(first) {
            Some(id) => self.find(id, Some(provider)),
            None => Err(FindError::NoDefault {
                provider: provider.to_owned(),
            }),
        }
    }

    fn merged(&self) -> &[Provider] {
        self.providers.get_or_init(|| {
            let mut providers = Vec::new();
            if self.has_bundled {
                providers = bundled();
            }
            for (id, settings) in self.overrides.iter().flat_map(|it| &it.providers) {
                match providers.iter_mut().find(|known| known.id == *id) {
                    Some(known) => known.settings.lay_over(settings),
                    None => {
                        let mut new = ProviderSettings::default();
                        new.lay_over(settings);
                        let id = id.clone();
                        providers.push(Provider { id, settings: new });
                    }
                }
            }
            providers
        })
    }
}

/// Reads the list; the order of its providers is that of the file.
fn bundled() -> Vec<Provider> {
    #[derive(Deserialize)]
    struct File {
        providers: serde_json::Map<String, serde_json::Value>,
    }
    // A test reads the list strictly: here it cannot fail.
    let file: Option<File> = serde_json::from_str(BUNDLED).ok();
    let providers = file.into_iter().flat_map(|file| file.providers);
    let read = providers.filter_map(|(id, value)| {
        let settings = ProviderSettings::deserialize(value).ok()?;
        Some(Provider { id, settings })
    });
    read.collect()
}

impl Provider {
    fn info(&self) -> ProviderInfo {
        let settings = &self.settings;
        ProviderInfo {
            id: self.id.clone(),
            name: settings.name.clone().unwrap_or_else(|| self.id.clone()),
            api: settings.api,
            base_url: settings.base_url.clone(),
            key_variables: settings.key_variables.clone(),
            default_model: settings.default_model.clone(),
            is_local: settings.is_local.unwrap_or(false),
        }
    }
}

/// Names with what belongs to them.
type Named<T> = BTreeMap<String, T>;
