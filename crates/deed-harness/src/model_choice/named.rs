//! A model by its name, from the list.

use deed_models::catalogue::{FindError, Found, FoundBy, ProviderInfo};

use super::chooser::Choice;
use super::{ModelChoiceError, ModelChooser, ModelWish, PickedBy};
use crate::credentials::{KeyError, KeyPresence, ProviderKey};

impl Choice {
    pub(super) fn of(found: Found) -> Self {
        Self {
            spec: found.spec,
            thinking: found.thinking,
            by: PickedBy::Wish,
            is_listed: found.by != FoundBy::Provider,
        }
    }
}

impl ModelChooser {
    pub(super) async fn named(
        &self,
        name: &str,
        wish: &ModelWish,
    ) -> Result<Choice, ModelChoiceError> {
        let provider = wish.provider.as_deref();
        let found = match self.catalogue().find(name, provider) {
            Err(FindError::NoMatch { .. }) if provider.is_none() => {
                return self.on_this_machine(name).await;
            }
            Err(FindError::Ambiguous {
                pattern,
                candidates,
            }) => self.the_one_with_a_key(pattern, candidates)?,
            found => found?,
        };
        self.usable(Choice::of(found), wish.api_key.is_some()).await
    }

    /// The model of a provider that is taken if none is named.
    pub(super) async fn of_provider(
        &self,
        provider: &str,
        has_key: bool,
    ) -> Result<Choice, ModelChoiceError> {
        match self.catalogue().default_of(provider) {
            Ok(found) => self.usable(Choice::of(found), has_key).await,
            Err(FindError::NoDefault { .. }) if self.is_local(provider) => {
                self.first_of_local(provider).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Several providers may have a model; one that can be asked is meant.
    fn the_one_with_a_key(
        &self,
        pattern: String,
        candidates: Vec<String>,
    ) -> Result<Found, ModelChoiceError> {
        let can_be_asked = |name: &&String| {
            let (provider, _) = name.split_once('/').unwrap_or_default();
            let info = self.info(provider);
            info.is_some_and(|info| !info.is_local && self.is_set(&info))
        };
        let mut asked = candidates.iter().filter(can_be_asked);
        match (asked.next(), asked.next()) {
            (Some(only), None) => Ok(self.catalogue().find(only, None)?),
            _ => Err(FindError::Ambiguous {
                pattern,
                candidates,
            }
            .into()),
        }
    }

    /// Tells early what the first request would fail for.
    async fn usable(&self, choice: Choice, has_key: bool) -> Result<Choice, ModelChoiceError> {
        let Some(info) = self.info(&choice.spec.provider) else {
            return Ok(choice);
        };
        if info.is_local {
            return self.completed(choice).await;
        }
        if !has_key && !self.has_given_key(&info.id) {
            self.ensure_key(&info)?;
        }
        Ok(choice)
    }

    fn ensure_key(&self, info: &ProviderInfo) -> Result<(), KeyError> {
        match self.key_of(&info.id, Some(info)).presence() {
            KeyPresence::Set(_) => Ok(()),
            KeyPresence::Faulty(error) => Err(error),
            KeyPresence::NotSet if needs_key(info) => Err(KeyError::NotSet {
                provider: info.id.clone(),
                variables: info.key_variables.clone(),
            }),
            KeyPresence::NotSet => Ok(()),
        }
    }

    /// Tells whether a provider can be asked as things are.
    pub(super) fn is_set(&self, info: &ProviderInfo) -> bool {
        self.has_given_key(&info.id) || self.ensure_key(info).is_ok()
    }

    pub(super) fn key_of(&self, provider: &str, info: Option<&ProviderInfo>) -> ProviderKey {
        let variables = info.map(|info| info.key_variables.clone());
        let needs_key = info.is_some_and(needs_key);
        let variables = variables.unwrap_or_default();
        self.config
            .credentials
            .provider(provider, variables, needs_key)
    }
}

/// One that names no variable for its key was added by settings, and may want none.
pub(super) fn needs_key(info: &ProviderInfo) -> bool {
    !info.is_local && !info.key_variables.is_empty()
}
