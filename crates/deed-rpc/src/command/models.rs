//! Which model answers, and how much it thinks.

use std::sync::Arc;

use deed_extensions::ModelSelectSource;
use deed_harness::model_choice::{ModelObject, next_model, next_thinking, thinking_levels};
use deed_models::ModelSpec;
use deed_protocol::ThinkingLevel;
use serde_json::json;

use super::Call;
use crate::refusal::Refusal;
use crate::response::{Answer, Answered};

impl Call {
    /// Lets another model answer; it thinks as much as it can of what was wanted.
    async fn take_model(&self, spec: ModelSpec, source: ModelSelectSource) -> Result<(), Refusal> {
        let session = &self.at.session;
        let model = self.server.host.make_model(spec.clone(), session)?;
        let level = spec.fitted(session.thinking());
        self.at.set_spec(Some(Arc::new(spec)));
        session.set_model(model, source).await?;
        session.set_thinking(level).await?;
        Ok(())
    }

    /// Returns what is known of the model; an extension may have put another in place.
    async fn spec(&self) -> Option<Arc<ModelSpec>> {
        let model = self.at.session.model();
        if let Some(spec) = self.at.spec_of(&model) {
            return Some(spec);
        }
        let mut models = self.server.host.models().await.into_iter();
        let found = models.find(|spec| spec.provider == model.provider && spec.id == model.id);
        let found = found.map(Arc::new);
        if found.is_some() {
            self.at.set_spec(found.clone());
        }
        found
    }
}

pub(super) async fn set_model(call: Call) -> Answered {
    let provider: String = call.fields.required("provider")?;
    let model_id: String = call.fields.required("modelId")?;
    let models = call.server.host.models().await;
    let named = |spec: &&ModelSpec| *spec.provider == *provider && *spec.id == *model_id;
    let Some(spec) = models.iter().find(named) else {
        return Err(Refusal::NoModel { provider, model_id });
    };
    call.take_model(spec.clone(), ModelSelectSource::Set)
        .await?;
    Answer::of(&ModelObject::from(spec))
}

pub(super) async fn cycle_model(call: Call) -> Answered {
    let models = call.server.host.models().await;
    let current = call.at.session.model();
    let Some(next) = next_model(&current, &models) else {
        return Answer::of(&json!(null));
    };
    call.take_model(next.clone(), ModelSelectSource::Cycle)
        .await?;
    Answer::of(&json!({
        "model": ModelObject::from(next),
        "thinkingLevel": call.at.session.thinking(),
        "isScoped": false,
    }))
}

pub(super) async fn get_available_models(call: Call) -> Answered {
    let models = call.server.host.models().await;
    let models: Vec<ModelObject> = models.iter().map(ModelObject::from).collect();
    Answer::of(&json!({ "models": models }))
}

pub(super) async fn set_thinking_level(call: Call) -> Answered {
    let level: ThinkingLevel = call.fields.required("level")?;
    let session = &call.at.session;
    let spec = call.spec().await;
    let fitted = spec.map_or(ThinkingLevel::Off, |spec| spec.fitted(level));
    session.set_thinking(fitted).await?;
    Answer::nothing()
}

pub(super) async fn cycle_thinking_level(call: Call) -> Answered {
    let session = &call.at.session;
    let spec = call.spec().await;
    let next = spec.and_then(|spec| next_thinking(&spec, session.thinking()));
    let Some(level) = next else {
        return Answer::of(&json!(null));
    };
    session.set_thinking(level).await?;
    Answer::of(&json!({ "level": level }))
}

pub(super) async fn get_available_thinking_levels(call: Call) -> Answered {
    let spec = call.spec().await;
    let levels = spec.map_or_else(|| vec![ThinkingLevel::Off], |spec| thinking_levels(&spec));
    Answer::of(&json!({ "levels": levels }))
}
