//! The models that there are, for lists and for clients that switch between them.

use std::sync::Arc;

use deed_agent::ModelInfo;
use deed_models::{ModelSpec, Prices};
use deed_protocol::ThinkingLevel;
use serde::Serialize;

use super::ModelChooser;

/// A model that can be named.
#[derive(Clone, Debug)]
pub struct ListedModel {
    /// What is known of it.
    pub spec: ModelSpec,
    /// Whether it can be asked as things are: its provider has its key, or wants none.
    pub is_available: bool,
}

/// A model as clients of the RPC stream know it.
///
/// Source: Pi's documentation of RPC, "Model object".
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelObject {
    /// Its id.
    pub id: Arc<str>,
    /// Its name for people.
    pub name: Arc<str>,
    /// How it is reached.
    pub api: &'static str,
    /// Who runs it.
    pub provider: Arc<str>,
    /// Where it is reached.
    pub base_url: String,
    /// Whether it thinks.
    pub reasoning: bool,
    /// What it takes.
    pub input: &'static [&'static str],
    /// How large its context is.
    ///
    /// Units: tokens; 0 if unknown.
    pub context_window: u64,
    /// How much it may write at once.
    ///
    /// Units: tokens; 0 if unknown.
    pub max_tokens: u64,
    /// What it costs.
    pub cost: Prices,
}

impl From<&ModelSpec> for ModelObject {
    fn from(spec: &ModelSpec) -> Self {
        Self {
            id: spec.id.clone(),
            name: spec.name.clone(),
            api: spec.api.as_str(),
            provider: spec.provider.clone(),
            base_url: spec.base_url.clone(),
            reasoning: !spec.thinking_levels.is_empty(),
            input: match spec.takes_images {
                true => &["text", "image"],
                false => &["text"],
            },
            context_window: spec.context_window,
            max_tokens: spec.max_output_tokens,
            cost: spec.prices.clone(),
        }
    }
}

impl ModelChooser {
    /// Lists the models of the list and of servers on this machine that answer.
    ///
    /// Of servers on this machine, what the list says is theirs counts only if they have it.
    ///
    /// Cancellation: dropping the future closes its connections.
    pub async fn list(&self) -> Vec<ListedModel> {
        let mut listed = self.listed();
        for server in self.local_servers().await {
            for model in &server.models {
                let found = self.catalogue().find(&model.id, Some(&server.provider));
                let mut spec = match found {
                    Ok(found) => found.spec,
                    Err(_) => server.spec(&self.config.transport, model).await,
                };
                spec.id = model.id.as_str().into();
                spec.base_url = format!("{}/v1", server.root);
                if spec.context_window == 0 {
                    spec.context_window = model.context_window;
                }
                listed.push(ListedModel {
                    spec,
                    is_available: true,
                });
            }
        }
        listed
    }

    /// Lists the models that can be asked as things are.
    ///
    /// Cancellation: as [`ModelChooser::list`].
    pub async fn available(&self) -> Vec<ModelSpec> {
        let listed = self.list().await.into_iter();
        listed
            .filter(|model| model.is_available)
            .map(|model| model.spec)
            .collect()
    }

    fn listed(&self) -> Vec<ListedModel> {
        let catalogue = self.catalogue();
        let infos: Vec<_> = catalogue.providers().collect();
        let is_set: Vec<bool> = infos.iter().map(|info| self.is_set(info)).collect();
        let listed = catalogue.models().filter_map(|spec| {
            let at = infos.iter().position(|info| *info.id == *spec.provider)?;
            if infos.get(at)?.is_local {
                return None;
            }
            let is_available = is_set.get(at).copied().unwrap_or_default();
            Some(ListedModel { spec, is_available })
        });
        listed.collect()
    }
}

/// Returns the model after this one, round the list; `None` if there is no other.
pub fn next_model<'m>(current: &ModelInfo, models: &'m [ModelSpec]) -> Option<&'m ModelSpec> {
    let is_current = |spec: &ModelSpec| spec.provider == current.provider && spec.id == current.id;
    match models.iter().position(is_current) {
        Some(at) => {
            let after = models.get(at + 1).or_else(|| models.first())?;
            (!is_current(after)).then_some(after)
        }
        None => models.first(),
    }
}

/// Returns the thinking levels that a model knows, `off` first.
pub fn thinking_levels(spec: &ModelSpec) -> Vec<ThinkingLevel> {
    let known = |level: &ThinkingLevel| {
        *level == ThinkingLevel::Off || spec.thinking_levels.contains(level)
    };
    ThinkingLevel::ALL.into_iter().filter(known).collect()
}

/// Returns the level after this one, round the levels of a model; `None` if it does not think.
pub fn next_thinking(spec: &ModelSpec, current: ThinkingLevel) -> Option<ThinkingLevel> {
    let levels = thinking_levels(spec);
    let at = levels.iter().position(|level| *level == current);
    let next = levels.get(at.map_or(0, |at| at + 1)).or(levels.first());
    next.copied().filter(|_| levels.len() > 1)
}
