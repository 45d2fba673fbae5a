//! The models as extensions have them.

use std::sync::{Arc, PoisonError};

use deed_agent::BoxFuture;
use deed_extensions::{KnownModel, MadeModel, ModelSource};
use deed_models::Catalogue;
use deed_models::catalogue::Overrides;
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value};

use super::chooser::Registered;
use super::{ListedModel, ModelChooser, ModelObject, ModelWish};

impl ModelSource for ModelChooser {
    fn list<'a>(&'a self) -> BoxFuture<'a, Vec<KnownModel>> {
        Box::pin(async move { self.list().await.iter().map(known).collect() })
    }

    fn make<'a>(
        &'a self,
        provider: &'a str,
        id: &'a str,
        thinking: ThinkingLevel,
    ) -> BoxFuture<'a, Result<MadeModel, String>> {
        Box::pin(async move {
            let wish = ModelWish {
                thinking: Some(thinking),
                ..ModelWish::exactly(provider, id)
            };
            let pick = self.choose(&wish).await;
            let pick = pick.map_err(|error| error.to_string())?;
            Ok(MadeModel {
                model: pick.model,
                thinking: pick.thinking,
            })
        })
    }

    fn register(&self, provider: &str, settings: Value) -> Result<(), String> {
        let wrong = |why: &str| format!("the provider {provider} is not registered: {why}");
        let Value::Object(mut settings) = settings else {
            return Err(wrong("its settings are no object"));
        };
        let key = settings.shift_remove("apiKey");
        let key = key.and_then(|key| key.as_str().map(str::to_owned));
        self.change_registered(|registered| {
            let mut providers = registered.providers.clone();
            providers.insert(provider.to_owned(), Value::Object(settings));
            registered.catalogue = Some(self.laid_over(&providers)?);
            registered.providers = providers;
            registered.keys.remove(provider);
            registered
                .keys
                .extend(key.map(|key| (provider.to_owned(), key)));
            Ok(())
        })
        .map_err(|why| wrong(&why))
    }

    fn unregister(&self, provider: &str) {
        let taken_back = self.change_registered(|registered| {
            registered.keys.remove(provider);
            registered.providers.shift_remove(provider);
            registered.catalogue = Some(self.laid_over(&registered.providers)?);
            Ok(())
        });
        // What is left was read before.
        taken_back.ok();
    }
}

impl ModelChooser {
    fn change_registered(
        &self,
        change: impl FnOnce(&mut Registered) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut registered = self
            .registered
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        change(&mut registered)
    }

    /// Lays providers over those of the settings.
    fn laid_over(&self, providers: &Map<String, Value>) -> Result<Arc<Catalogue>, String> {
        let read = |providers: Map<String, Value>| {
            Overrides::read(&Value::Object(providers)).map_err(|error| error.to_string())
        };
        let of_settings = read(self.config.settings.providers.0.clone())?;
        let registered = read(providers.clone())?;
        let catalogue = Catalogue::bundled().with(of_settings).with(registered);
        Ok(Arc::new(catalogue))
    }
}

fn known(listed: &ListedModel) -> KnownModel {
    let facts = serde_json::to_value(ModelObject::from(&listed.spec));
    KnownModel {
        provider: listed.spec.provider.clone(),
        id: listed.spec.id.clone(),
        is_available: listed.is_available,
        facts: match facts {
            Ok(Value::Object(facts)) => facts,
            _ => Map::new(),
        },
    }
}
