//! `deed auth`: the keys of model providers.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Read, stdin};

use anyhow::Context;
use deed_harness::credentials::{AuthFile, KeyOrigin, KeyPresence, KeySpec};
use deed_harness::settings::{Settings, nearest};
use deed_models::catalogue::{Catalogue, Overrides, ProviderInfo};
use serde_json::{Value, json};

use crate::cli::AuthCommand;
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::terminal::ask_hidden;
use crate::writer::print;
use crate::{settings, wiring};

/// No key is longer.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// Stores, lists or forgets keys.
pub(crate) fn run(command: &AuthCommand) -> anyhow::Result<Ending> {
    let places = Places::find();
    let config = places.config.as_ref();
    let config = config.context("there is no home folder to keep keys in; set HOME")?;
    let file = AuthFile::new(config.join("auth.json"));
    let settings = sound_settings(&places)?;
    match command {
        AuthCommand::List { json } => list(&places, &settings, *json),
        AuthCommand::Remove { provider } => {
            if file.remove(provider)? {
                return print(format!("forgotten: {provider}\n").as_bytes());
            }
            complain(&format!(
                "no key of {provider} is kept here; `deed auth list` lists them"
            ));
            Ok(Ending::Usage)
        }
        AuthCommand::Set {
            provider,
            command,
            env,
        } => {
            let spec = match spec(provider, command.as_deref(), env.as_deref()) {
                Ok(spec) => spec,
                Err(error) => {
                    complain(&format!("{error:#}"));
                    return Ok(Ending::Usage);
                }
            };
            file.set(provider, spec)?;
            warn_of_unknown(provider, &settings);
            print(format!("kept: {provider}, in {}\n", file.path().display()).as_bytes())
        }
    }
}

/// Returns the user's settings, as far as they are sound.
fn sound_settings(places: &Places) -> anyhow::Result<Settings> {
    let cwd = wiring::working_folder(None)?;
    Ok(settings::settings_files(places, &cwd).read(false).sound())
}

/// Makes what is stored.
///
/// Errors: there is no key, or what was given cannot be one.
fn spec(provider: &str, command: Option<&str>, env: Option<&str>) -> anyhow::Result<KeySpec> {
    let is_name = !provider.is_empty() && provider.chars().all(|c| c.is_ascii_graphic());
    anyhow::ensure!(is_name, "{provider:?} is no name of a provider");
    if let Some(command) = command {
        anyhow::ensure!(!command.trim().is_empty(), "--command: there is no command");
        return Ok(KeySpec::Command(command.to_owned()));
    }
    if let Some(name) = env {
        let is_variable = !name.is_empty() && !name.contains(['=', '\0']);
        anyhow::ensure!(is_variable, "--env: {name:?} is no name of a variable");
        return Ok(KeySpec::Variable(name.to_owned()));
    }
    let key = match stdin().is_terminal() {
        true => typed(provider)?,
        false => piped()?,
    };
    let key = key.trim();
    anyhow::ensure!(!key.is_empty(), "no key was given; nothing was stored");
    anyhow::ensure!(
        key.bytes().all(|byte| byte.is_ascii_graphic()),
        "what was given holds blanks or letters that no key has; nothing was stored"
    );
    Ok(KeySpec::Literal(key.to_owned()))
}

fn typed(provider: &str) -> anyhow::Result<String> {
    let question = format!("the key of {provider} (it is not shown): ");
    let typed = ask_hidden(&question).context("cannot ask at the terminal")?;
    Ok(typed.unwrap_or_default())
}

fn piped() -> anyhow::Result<String> {
    let mut text = String::new();
    let read = stdin()
        .lock()
        .take(MAX_KEY_BYTES + 1)
        .read_to_string(&mut text);
    match read {
        Ok(count) if count as u64 > MAX_KEY_BYTES => {
            anyhow::bail!("standard input is longer than any key; nothing was stored")
        }
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            anyhow::bail!("standard input is no text; nothing was stored")
        }
        Err(error) => Err(error).context("cannot read the key from standard input"),
    }
}

fn warn_of_unknown(provider: &str, settings: &Settings) {
    let known = providers(settings);
    if known.iter().any(|known| known.id == provider) {
        return;
    }
    let hint = match nearest(provider, known.iter().map(|known| known.id.as_str())) {
        Some(near) => format!("did you mean {near}?"),
        None => "say in the settings where it is reached (providers)".to_owned(),
    };
    complain(&format!(
        "warning: no provider is called {provider}; {hint}"
    ));
}

/// Returns all providers: those that Deed knows and those of the settings.
pub(crate) fn providers(settings: &Settings) -> Vec<ProviderInfo> {
    let own = Overrides::read(&Value::Object(settings.providers.0.clone()));
    // What is wrong with the settings is told where they are read.
    let catalogue = Catalogue::bundled().with(own.unwrap_or_default());
    catalogue.providers().collect()
}

/// A provider and whether there is a key of it.
pub(crate) struct ProviderKeyState {
    pub(crate) provider: String,
    pub(crate) presence: KeyPresence,
}

/// Returns every provider of which something is known about its key.
pub(crate) fn key_states(places: &Places, settings: &Settings) -> Vec<ProviderKeyState> {
    let credentials = settings::credentials(places, settings, None);
    let state = |id: String, variables: Vec<String>| {
        let presence = credentials.provider(&id, variables, true).presence();
        ProviderKeyState {
            provider: id,
            presence,
        }
    };
    let known = providers(settings).into_iter();
    let mut states: Vec<_> = known
        .map(|provider| state(provider.id, provider.key_variables))
        .collect();
    let file = places.config.as_ref().map(|own| own.join("auth.json"));
    let stored = file.and_then(|path| AuthFile::new(path).load().ok());
    for id in stored.unwrap_or_default().into_keys() {
        if states.iter().all(|state| state.provider != id) {
            states.push(state(id, Vec::new()));
        }
    }
    states.retain(|state| !matches!(state.presence, KeyPresence::NotSet));
    states
}

fn list(places: &Places, settings: &Settings, as_json: bool) -> anyhow::Result<Ending> {
    // So that a file that is not used is one error, not one for each provider.
    if let Some(config) = &places.config {
        AuthFile::new(config.join("auth.json")).load()?;
    }
    let states = key_states(places, settings);
    if as_json {
        let rows: Vec<Value> = states.iter().map(row).collect();
        return print(format!("{}\n", serde_json::to_string_pretty(&rows)?).as_bytes());
    }
    let width = states.iter().map(|state| state.provider.chars().count());
    let width = width.max().unwrap_or(0);
    let mut text = String::new();
    for ProviderKeyState { provider, presence } in &states {
        // Writing to a string cannot fail.
        match presence {
            KeyPresence::Set(origin) => writeln!(text, "{provider:width$}  {}", told(origin)),
            KeyPresence::Faulty(error) => writeln!(text, "{provider:width$}  not usable: {error}"),
            KeyPresence::NotSet => Ok(()),
        }
        .ok();
    }
    if text.is_empty() {
        "no keys; `deed auth set PROVIDER` keeps one\n".clone_into(&mut text);
    }
    print(text.as_bytes())
}

/// Says where a key comes from.
pub(crate) fn told(origin: &KeyOrigin) -> String {
    match origin {
        KeyOrigin::Settings(kind) | KeyOrigin::AuthFile(kind) => format!("{origin} ({kind})"),
        other => other.to_string(),
    }
}

fn row(state: &ProviderKeyState) -> Value {
    match &state.presence {
        KeyPresence::Set(origin) => {
            json!({ "provider": state.provider, "isUsable": true, "from": told(origin) })
        }
        KeyPresence::Faulty(error) => {
            json!({ "provider": state.provider, "isUsable": false, "reason": error.to_string() })
        }
        KeyPresence::NotSet => json!({ "provider": state.provider, "isUsable": false }),
    }
}
