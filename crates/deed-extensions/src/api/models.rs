//! Other models, other sessions.

use std::sync::Arc;

use deed_agent::{ModelInfo, ModelRequest};
use deed_protocol::{AssistantMessage, ThinkingLevel};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::ExtensionApi;
use crate::{
    ExtensionError, ExtensionSession, KnownModel, MadeModel, ModelSource, Navigated, NoControl,
    Replacement, SessionControl,
};

impl ExtensionApi {
    /// Lists the models that can be named; without a list, the session's own.
    pub async fn get_models(&self) -> Result<Vec<KnownModel>, ExtensionError> {
        let (core, _) = self.acting("get_models")?;
        let session = &core.session;
        let mut known = match session.models() {
            Some(models) => models.list().await,
            None => Vec::new(),
        };
        if let Some(own) = session.model().map(|model| model.info().clone())
            && !known.iter().any(|model| is_of(model, &own))
        {
            known.push(described(&own));
        }
        Ok(known)
    }

    /// Asks a model outside of the session: nothing of it stands in the transcript or the record.
    ///
    /// Errors: there is no such model, or it cannot be asked; what goes wrong while it answers is
    /// said by the answer.
    ///
    /// Cancellation: the answer says that it was aborted.
    pub async fn complete(
        &self,
        (provider, id): (&str, &str),
        mut request: ModelRequest,
        cancel: &CancellationToken,
    ) -> Result<AssistantMessage, ExtensionError> {
        let (core, _) = self.acting("complete")?;
        let made = made(core.session.as_ref(), (provider, id), request.thinking).await?;
        request.thinking = made.thinking;
        // Nobody watches it being written.
        let (deltas, _) = mpsc::channel(1);
        Ok(made.model.respond(&request, deltas, cancel).await)
    }

    /// Lets another model answer from the next turn on; it thinks as much as it can of what was
    /// wanted.
    ///
    /// Errors: there is no such model, it cannot be asked, or the record cannot be written.
    pub async fn set_model(&self, provider: &str, id: &str) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("set_model")?;
        let session = core.session.as_ref();
        let made = made(session, (provider, id), session.thinking()).await?;
        session.set_model(made).await
    }

    /// Sets how much the model thinks, as far as it can, from the next turn on. Others hear of it
    /// later.
    pub async fn set_thinking_level(&self, level: ThinkingLevel) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("set_thinking_level")?;
        let mut level = level;
        if let (Some(models), Some(own)) = (core.session.models(), core.session.model()) {
            let (provider, id) = (own.info().provider.clone(), own.info().id.clone());
            // One that is on no list is believed.
            if let Ok(made) = models.make(&provider, &id, level).await {
                level = made.thinking;
            }
        }
        core.session.set_thinking(level);
        Ok(())
    }

    /// Returns how much the model thinks.
    pub fn get_thinking_level(&self) -> Result<ThinkingLevel, ExtensionError> {
        let (core, _) = self.acting("get_thinking_level")?;
        Ok(core.session.thinking())
    }

    /// Adds a provider of models, or lays what is said of one over it; see [`ModelSource::register`].
    ///
    /// Errors: what is wrong with it; or there are no models to choose from here.
    pub fn register_provider(&self, name: &str, settings: Value) -> Result<(), ExtensionError> {
        let (core, _) = self.registering("register_provider")?;
        sourced(core.session.as_ref())?
            .register(name, settings)
            .map_err(ExtensionError::Failed)
    }

    /// Takes a provider back that was registered.
    pub fn unregister_provider(&self, name: &str) -> Result<(), ExtensionError> {
        let (core, _) = self.registering("unregister_provider")?;
        sourced(core.session.as_ref())?.unregister(name);
        Ok(())
    }

    /// Waits until no prompt is under way. Within a run it would wait for itself: it is for commands.
    pub async fn wait_for_idle(&self) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("wait_for_idle")?;
        core.session.idle().await;
        Ok(())
    }

    /// Puts another session in the place of this one, when the command that asks has ended; tells
    /// whether all extensions agree.
    ///
    /// Errors: this mode of the program cannot, or it failed.
    pub async fn replace_session(&self, by: Replacement) -> Result<bool, ExtensionError> {
        let (core, _) = self.acting("replace_session")?;
        let control = control(core.session.as_ref());
        control.replace(by).await.map_err(ExtensionError::new)
    }

    /// Ends the program when what goes on has come to its end.
    ///
    /// Errors: as [`ExtensionApi::replace_session`].
    pub fn shutdown(&self) -> Result<(), ExtensionError> {
        let (core, _) = self.acting("shutdown")?;
        let control = control(core.session.as_ref());
        control.shutdown().map_err(ExtensionError::new)
    }

    /// Goes to another place in the tree of the session: what was said since leaves the transcript
    /// and stays in the record. At a message of a person, to before it.
    ///
    /// Errors: a run is under way, there is no such entry, or no record.
    pub async fn navigate(&self, entry_id: &str) -> Result<Navigated, ExtensionError> {
        let (core, _) = self.acting("navigate")?;
        core.session.navigate(entry_id).await
    }
}

fn control(session: &dyn ExtensionSession) -> Arc<dyn SessionControl> {
    session.control().unwrap_or_else(|| Arc::new(NoControl))
}

fn sourced(session: &dyn ExtensionSession) -> Result<Arc<dyn ModelSource>, ExtensionError> {
    session.models().ok_or_else(|| {
        ExtensionError::new("there are no models to choose from here: the host handed none in")
    })
}

/// Makes a model; the session's own stands for itself where nobody can make it.
async fn made(
    session: &dyn ExtensionSession,
    (provider, id): (&str, &str),
    thinking: ThinkingLevel,
) -> Result<MadeModel, ExtensionError> {
    let own = session.model().filter(|own| {
        let info = own.info();
        *info.provider == *provider && *info.id == *id
    });
    let made = match session.models() {
        Some(models) => models.make(provider, id, thinking).await,
        None => Err(format!(
            "there is no model {provider}/{id} here: the host handed none in but the session's own"
        )),
    };
    match (made, own) {
        (Ok(made), _) => Ok(made),
        (Err(_), Some(model)) => Ok(MadeModel { model, thinking }),
        (Err(why), None) => Err(ExtensionError::Failed(why)),
    }
}

fn is_of(known: &KnownModel, info: &ModelInfo) -> bool {
    known.provider == info.provider && known.id == info.id
}

fn described(info: &ModelInfo) -> KnownModel {
    let input: &[&str] = match info.takes_images {
        true => &["text", "image"],
        false => &["text"],
    };
    let facts = json!({
        "id": info.id,
        "name": info.id,
        "api": info.api,
        "provider": info.provider,
        "input": input,
        "contextWindow": info.context_window,
        "maxTokens": info.max_output_tokens,
    });
    KnownModel {
        provider: info.provider.clone(),
        id: info.id.clone(),
        is_available: true,
        facts: facts.as_object().cloned().unwrap_or_default(),
    }
}
