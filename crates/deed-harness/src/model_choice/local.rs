//! Models of servers on this machine.

use deed_models::catalogue::{FindError, ProviderInfo};
use deed_models::{LocalModel, LocalServer, ModelSpec, Quirks, find_local_at};

use super::chooser::Choice;
use super::{ModelChoiceError, ModelChooser, PickedBy};

impl ModelChooser {
    pub(super) fn is_local(&self, provider: &str) -> bool {
        self.info(provider).is_some_and(|info| info.is_local)
    }

    /// Asks all places where servers of models may be.
    pub(super) async fn local_servers(&self) -> Vec<LocalServer> {
        let mut places: Vec<(String, String)> = Vec::new();
        let catalogue = self.catalogue();
        let of_settings = catalogue.providers().filter(|info| info.is_local);
        let of_settings = of_settings.filter_map(|info| Some((info.id.clone(), root_of(&info)?)));
        let usual = self.config.local_places.iter();
        let usual = usual.map(|(name, root)| ((*name).to_owned(), (*root).to_owned()));
        let is_changed = |name: &str| self.config.settings.providers.0.contains_key(name);
        // The list knows the usual places too; what counts is where the settings moved them.
        let moved = of_settings.filter(|(name, _)| is_changed(name));
        for (name, root) in moved.chain(usual) {
            if !places.iter().any(|(there, _)| *there == name) {
                places.push((name, root));
            }
        }
        self.servers_at(&places).await
    }

    async fn servers_at(&self, places: &[(String, String)]) -> Vec<LocalServer> {
        let places: Vec<(&str, &str)> = places
            .iter()
            .map(|(name, root)| (name.as_str(), root.as_str()))
            .collect();
        find_local_at(&self.config.transport, &places).await
    }

    /// A model that is on no list, if a server here has it.
    pub(super) async fn on_this_machine(&self, name: &str) -> Result<Choice, ModelChoiceError> {
        for server in self.local_servers().await {
            if let Some(model) = server.models.iter().find(|model| model.id == name) {
                return Ok(self.of_server(&server, model, PickedBy::Wish).await);
            }
        }
        // What the list says of it is the better answer.
        let error = match self.catalogue().find(name, None) {
            Err(error) => error,
            Ok(found) => return Ok(Choice::of(found)),
        };
        Err(error.into())
    }

    /// The first model that the server of a provider has.
    pub(super) async fn first_of_local(&self, provider: &str) -> Result<Choice, ModelChoiceError> {
        let (address, server) = self.server_of(provider).await?;
        let server = server.ok_or_else(|| ModelChoiceError::Silent {
            provider: provider.to_owned(),
            address: address.clone(),
        })?;
        let Some(model) = server.models.first() else {
            return Err(ModelChoiceError::Find(FindError::NoDefault {
                provider: provider.to_owned(),
            }));
        };
        Ok(self.of_server(&server, model, PickedBy::Wish).await)
    }

    /// Asks the server what a model of its can do; one that does not answer will be told of by the
    /// first request.
    ///
    /// Errors: the server answers, and does not have the model.
    pub(super) async fn completed(&self, choice: Choice) -> Result<Choice, ModelChoiceError> {
        let provider = &choice.spec.provider;
        let (address, server) = self.server_of(provider).await?;
        let Some(server) = server else {
            return Ok(choice);
        };
        let id = &*choice.spec.id;
        // `name` and `name:latest` are one model.
        let is_it =
            |model: &&LocalModel| model.id == id || model.id.strip_suffix(":latest") == Some(id);
        let Some(model) = server.models.iter().find(is_it) else {
            return Err(ModelChoiceError::NotThere {
                provider: provider.to_string(),
                address,
                id: id.to_owned(),
                models: server.models.into_iter().map(|model| model.id).collect(),
            });
        };
        let said = server.spec(&self.config.transport, model).await;
        Ok(Choice {
            spec: complete(choice.spec, said),
            is_listed: true,
            ..choice
        })
    }

    /// Makes a choice of what a server says of its model.
    pub(super) async fn of_server(
        &self,
        server: &LocalServer,
        model: &LocalModel,
        by: PickedBy,
    ) -> Choice {
        let said = server.spec(&self.config.transport, model).await;
        let spec = match self.catalogue().find(&model.id, Some(&server.provider)) {
            Ok(listed) => ModelSpec {
                base_url: said.base_url.clone(),
                id: said.id.clone(),
                ..complete(listed.spec, said)
            },
            Err(_) => said,
        };
        Choice {
            spec,
            thinking: None,
            by,
            is_listed: true,
        }
    }

    async fn server_of(
        &self,
        provider: &str,
    ) -> Result<(String, Option<LocalServer>), ModelChoiceError> {
        let root = self.info(provider).as_ref().and_then(root_of);
        let root = root.ok_or_else(|| FindError::NoAddress {
            provider: provider.to_owned(),
        })?;
        let places = [(provider.to_owned(), root.clone())];
        let mut servers = self.servers_at(&places).await;
        Ok((root, servers.pop()))
    }
}

/// Returns where the server of a provider is, without the path of an interface.
fn root_of(info: &ProviderInfo) -> Option<String> {
    let address = info.base_url.as_deref()?.trim_end_matches('/');
    Some(address.strip_suffix("/v1").unwrap_or(address).to_owned())
}

/// Fills what is not known with what the server says.
fn complete(mut spec: ModelSpec, said: ModelSpec) -> ModelSpec {
    if spec.context_window == 0 {
        spec.context_window = said.context_window;
    }
    if spec.thinking_levels.is_empty() {
        spec.thinking_levels = said.thinking_levels;
    }
    if spec.quirks == Quirks::default() {
        spec.quirks = said.quirks;
    }
    spec.takes_images |= said.takes_images;
    spec
}
