//! A model by its address: no list is read.

use deed_models::{Api, ModelSpec, Prices, Quirks, find_local_at};
use serde_json::Map;

use super::chooser::Choice;
use super::{ModelChoiceError, ModelChooser, ModelWish, PickedBy};

/// What a provider is called that has only an address.
pub(super) const UNNAMED: &str = "custom";

impl ModelChooser {
    pub(super) async fn at_address(
        &self,
        address: &str,
        wish: &ModelWish,
    ) -> Result<Choice, ModelChoiceError> {
        let address = address.trim().trim_end_matches('/');
        if !["http://", "https://"]
            .iter()
            .any(|start| address.starts_with(start))
        {
            return Err(ModelChoiceError::NoAddress(address.to_owned()));
        }
        if let Some(provider) = &wish.provider {
            return self.of_provider_at(provider, address, wish);
        }
        let id = match &wish.model {
            Some(id) => id.clone(),
            None => self.only_model_at(address).await?,
        };
        Ok(Choice {
            spec: unknown(&id, wish.api.unwrap_or(Api::Chat), address),
            thinking: None,
            by: PickedBy::Wish,
            is_listed: false,
        })
    }

    /// A provider that is known, reached elsewhere: through a proxy, say.
    fn of_provider_at(
        &self,
        provider: &str,
        address: &str,
        wish: &ModelWish,
    ) -> Result<Choice, ModelChoiceError> {
        let found = match &wish.model {
            Some(name) => self.catalogue().find(name, Some(provider))?,
            None => self.catalogue().default_of(provider)?,
        };
        let mut choice = Choice::of(found);
        address.clone_into(&mut choice.spec.base_url);
        Ok(choice)
    }

    async fn only_model_at(&self, address: &str) -> Result<String, ModelChoiceError> {
        let root = address.strip_suffix("/v1").unwrap_or(address);
        let servers = find_local_at(&self.config.transport, &[(UNNAMED, root)]).await;
        let models = servers.into_iter().flat_map(|server| server.models);
        let models: Vec<String> = models.map(|model| model.id).collect();
        match models.as_slice() {
            [only] => Ok(only.clone()),
            _ => Err(ModelChoiceError::NotNamed {
                address: address.to_owned(),
                models,
            }),
        }
    }
}

fn unknown(id: &str, api: Api, address: &str) -> ModelSpec {
    ModelSpec {
        provider: UNNAMED.into(),
        id: id.into(),
        name: id.into(),
        api,
        base_url: address.to_owned(),
        headers: Vec::new(),
        extra_body: Map::new(),
        context_window: 0,
        max_output_tokens: 0,
        takes_images: true,
        thinking_levels: Vec::new(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    }
}
