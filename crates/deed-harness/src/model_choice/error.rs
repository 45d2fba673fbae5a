use std::path::PathBuf;

use deed_models::ScriptError;
use deed_models::catalogue::{FindError, OverrideError};

use crate::credentials::KeyError;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelChoiceError {
    /// Nothing was said and nothing was found.
    #[error(
        "there is no model: no key of a provider is set, and no model server answers on this \
         machine\n\
         a provider: `deed auth set anthropic`, or openai, google, openrouter, …; or set its \
         variable, such as ANTHROPIC_API_KEY\n\
         this machine: start a server, such as `ollama serve`; to watch Deed without any model, run \
         `deed demo`"
    )]
    Nothing,
    /// No model, or not one alone, has the name.
    #[error(transparent)]
    Find(#[from] FindError),
    /// What the settings say of providers cannot be used.
    #[error("settings: {0}")]
    Settings(#[from] OverrideError),
    /// The key of the provider is missing or cannot be had.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A key was given, but not for which model.
    #[error("--api-key is for one provider; name it with --model or --provider")]
    KeyForNobody,
    /// An address is none.
    #[error("--base-url {0}: an address begins with http:// or https://")]
    NoAddress(String),
    /// The server at an address has several models, or does not say which.
    #[error("--base-url {address} needs --model{}", having(models))]
    NotNamed {
        /// The address.
        address: String,
        /// The models that it has.
        models: Vec<String>,
    },
    /// A server on this machine does not have the model.
    #[error("{provider} at {address} has no model {id:?}{}", having(models))]
    NotThere {
        /// What the server is.
        provider: String,
        /// Where it is.
        address: String,
        /// What was asked for.
        id: String,
        /// What it has.
        models: Vec<String>,
    },
    /// The server of a provider on this machine does not answer.
    #[error(
        "{provider} does not answer at {address}; start it, or set `providers.{provider}.baseUrl`"
    )]
    Silent {
        /// What the server is.
        provider: String,
        /// Where it should be.
        address: String,
    },
    /// A script cannot be read.
    #[error("the script {}: {source}", path.display())]
    UnreadableScript {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A script is none.
    #[error("the script {}: {source}", path.display())]
    BadScript {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: ScriptError,
    },
}

/// Lists what a server has, as far as it fits a line.
fn having(models: &[String]) -> String {
    const MAX_LISTED: usize = 10;
    let listed: Vec<&str> = models.iter().take(MAX_LISTED).map(String::as_str).collect();
    match models.len() {
        0 => String::new(),
        count if count > MAX_LISTED => format!("; it has {}, …", listed.join(", ")),
        _ => format!("; it has {}", listed.join(", ")),
    }
}
