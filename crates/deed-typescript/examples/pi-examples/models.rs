use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{KnownModel, MadeModel, ModelSource};
use deed_protocol::ThinkingLevel;
use serde_json::{Value, json};

use crate::person::Log;
use crate::watched::Watched;

/// Models besides the session's, each of which says its name.
pub(crate) struct Models {
    /// As `provider/id`.
    pub(crate) names: Vec<String>,
    pub(crate) log: Log,
}

impl ModelSource for Models {
    fn list<'a>(&'a self) -> BoxFuture<'a, Vec<KnownModel>> {
        let names = self.names.iter().filter_map(|name| name.split_once('/'));
        let known = names.map(|(provider, id)| KnownModel {
            provider: provider.into(),
            id: id.into(),
            is_available: true,
            facts: json!({ "provider": provider, "id": id, "name": id })
                .as_object()
                .cloned()
                .unwrap_or_default(),
        });
        let known = known.collect();
        Box::pin(async { known })
    }

    fn make<'a>(
        &'a self,
        provider: &'a str,
        id: &'a str,
        thinking: ThinkingLevel,
    ) -> BoxFuture<'a, Result<MadeModel, String>> {
        let says = json!({ "say": format!("{id} was asked") });
        let model = Watched::scripted(&[says], &self.log).named(id);
        Box::pin(async move {
            if !self.names.contains(&format!("{provider}/{id}")) {
                return Err(format!("there is no {provider}/{id}"));
            }
            Ok(MadeModel {
                model: Arc::new(model),
                thinking,
            })
        })
    }

    fn register(&self, provider: &str, settings: Value) -> Result<(), String> {
        self.log.add(format!("provider {provider} {settings}"));
        Ok(())
    }

    fn unregister(&self, provider: &str) {
        self.log.add(format!("provider {provider} -"));
    }
}
