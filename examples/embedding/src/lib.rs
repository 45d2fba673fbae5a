//! What the small programs of this example share: a place to work in, and the model that is named.
//!
//! Each program is a file in `src/bin`. All take the model as their first argument, as `deed --model`
//! does: `anthropic/claude-sonnet-4-5`, `ollama/qwen3`, or `script:FILE` for one without a network.

use std::sync::Arc;

use anyhow::Context;
use deed_env::{LocalConfig, LocalEnv};
use deed_harness::credentials::{Credentials, CredentialsConfig};
use deed_harness::model_choice::{ModelChooser, ModelChooserConfig, ModelWish};
use deed_harness::{AgentSession, SessionBuilder};

/// Begins a session in the current folder, with the model of the first argument.
pub async fn session() -> anyhow::Result<SessionBuilder> {
    let cwd = std::env::current_dir()?.canonicalize()?;
    let env = LocalEnv::new(LocalConfig {
        cwd: cwd.clone(),
        output_folder: std::env::temp_dir().join("embedding-output"),
        variables: std::env::vars_os().collect(),
        ..LocalConfig::default()
    });
    // The library reads no variables itself: a host says where keys come from.
    let chooser = ModelChooser::new(ModelChooserConfig {
        credentials: Credentials::new(CredentialsConfig {
            variables: Arc::new(|name| std::env::var(name).ok()),
            ..CredentialsConfig::default()
        }),
        ..ModelChooserConfig::new(cwd)
    })?;
    let model = std::env::args().nth(1);
    let wish = ModelWish {
        model: Some(model.context("name a model, such as anthropic/claude-sonnet-4-5")?),
        ..ModelWish::default()
    };
    let pick = chooser.choose(&wish).await?;
    Ok(AgentSession::builder(Arc::new(env))
        .model(pick.model)
        .thinking(pick.thinking))
}

/// Returns what stands behind the model on the command line, or this.
pub fn prompt_or(usual: &str) -> String {
    let words: Vec<String> = std::env::args().skip(2).collect();
    if words.is_empty() {
        usual.to_owned()
    } else {
        words.join(" ")
    }
}
