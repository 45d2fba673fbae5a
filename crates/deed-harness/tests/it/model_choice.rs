//! From options, settings and keys to a model, against servers on loopback.

mod address;
mod listing;
mod local;
mod named;
mod registered;
mod server;
mod unasked;

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{ModelRequest, ToolSet};
use deed_harness::credentials::{Credentials, CredentialsConfig, KeySpec};
use deed_harness::model_choice::{
    ModelChoiceError, ModelChooser, ModelChooserConfig, ModelPick, ModelWish,
};
use deed_harness::settings::{ProviderSettings, Settings};
use deed_protocol::{AssistantMessage, Message};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What there is besides the wish.
#[derive(Default)]
struct Around {
    settings: Settings,
    variables: Vec<(&'static str, &'static str)>,
    cwd: PathBuf,
}

impl Around {
    /// With these variables set.
    fn variables(variables: &[(&'static str, &'static str)]) -> Self {
        Self {
            variables: variables.to_vec(),
            ..Self::default()
        }
    }

    fn providers(mut self, providers: Value) -> Self {
        let Value::Object(providers) = providers else {
            panic!("providers are an object");
        };
        self.settings.providers = ProviderSettings(providers);
        self
    }

    fn chooser(self) -> Result<ModelChooser, ModelChoiceError> {
        let variables = self.variables;
        let value = move |name: &str| {
            let mut all = variables.iter();
            let (_, value) = all.find(|(known, _)| *known == name)?;
            Some((*value).to_owned())
        };
        let credentials = Credentials::new(CredentialsConfig {
            settings: KeySpec::in_settings(&self.settings.providers),
            variables: Arc::new(value),
            ..CredentialsConfig::default()
        });
        ModelChooser::new(ModelChooserConfig {
            settings: self.settings,
            credentials,
            now_ms: || 0,
            // What runs on the machine of the test is none of its business.
            local_places: &[],
            ..ModelChooserConfig::new(self.cwd)
        })
    }

    async fn choose(self, wish: &ModelWish) -> Result<ModelPick, String> {
        let chooser = self.chooser().map_err(|error| error.to_string())?;
        let pick = chooser.choose(wish).await;
        pick.map_err(|error| error.to_string())
    }
}

fn wish(model: &str) -> ModelWish {
    ModelWish {
        model: Some(model.to_owned()),
        ..ModelWish::default()
    }
}

/// Returns a pick as `provider/id thinking by` with its notices.
fn told(pick: Result<ModelPick, String>) -> String {
    let pick = match pick {
        Ok(pick) => pick,
        Err(error) => return format!("error: {error}"),
    };
    let info = pick.model.info();
    let mut text = format!(
        "{}/{} {} {:?}",
        info.provider, info.id, pick.thinking, pick.by
    );
    for notice in pick.notices {
        text.push_str(&format!("\n{notice}"));
    }
    text
}

/// Asks a model something.
async fn ask(model: &dyn deed_agent::Model) -> AssistantMessage {
    let request = ModelRequest {
        system: "s".into(),
        messages: Arc::new(vec![Arc::new(Message::user("hello", 0))]),
        tools: Arc::new(ToolSet::new([])),
        thinking: deed_protocol::ThinkingLevel::Off,
    };
    let (deltas, _listening) = mpsc::channel(16);
    let cancel = CancellationToken::new();
    model.respond(&request, deltas, &cancel).await
}

/// A provider at a server of a test.
fn provider_at(address: &str) -> Value {
    json!({
        "baseUrl": format!("{address}/v1"),
        "api": "chat",
        "models": [{ "id": "m" }],
    })
}
