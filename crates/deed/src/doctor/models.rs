//! Keys, and servers on this machine.

use std::os::unix::fs::PermissionsExt;

use deed_harness::credentials::{AuthFile, KeyPresence, KeySpec};
use deed_models::{ProxyChoice, Transport, find_local};

use super::Patient;
use super::check::Check;
use crate::auth::{ProviderKeyState, key_states, told};

/// Looks for a way to a model.
pub(super) async fn checks(patient: &Patient) -> Vec<Check> {
    let mut checks = vec![proxy(patient)];
    let keys = keys(patient);
    let servers = servers(patient).await;
    let has_key = keys.iter().any(|check| !check.has_failed());
    if !has_key && servers.is_none() {
        checks.push(Check::warn(
            "models",
            "there is no key and no server on this machine, so no model can be asked",
            "deed auth set PROVIDER, or start ollama, llama.cpp or LM Studio; deed demo needs none",
        ));
    }
    checks.extend(keys);
    checks.extend(open_settings(patient));
    checks.extend(servers);
    checks
}

/// Looks whether others can read a key that stands in the settings itself.
fn open_settings(patient: &Patient) -> Option<Check> {
    let path = patient.places.config.as_ref()?.join("settings.json");
    let keys = KeySpec::in_settings(&patient.settings.providers);
    let has_key = keys
        .values()
        .any(|spec| matches!(spec, KeySpec::Literal(_)));
    let mode = path.metadata().ok()?.permissions().mode();
    (has_key && mode & 0o077 != 0).then(|| {
        Check::warn(
            "settings keys",
            format!("others may read the keys in {}", path.display()),
            format!("chmod 600 {0}, or deed auth set PROVIDER", path.display()),
        )
    })
}

fn keys(patient: &Patient) -> Vec<Check> {
    // A file that is not used would fail for every provider.
    let file = patient.places.config.as_ref();
    let file = file.map(|config| AuthFile::new(config.join("auth.json")));
    if let Some(Err(error)) = file.map(|file| file.load()) {
        return vec![Check::fail(
            "keys",
            error.to_string(),
            "until then no key is looked for",
        )];
    }
    let states = key_states(&patient.places, &patient.settings).into_iter();
    let check = |ProviderKeyState { provider, presence }| {
        let name = format!("key {provider}");
        match presence {
            KeyPresence::Set(origin) => Some(Check::ok(name, told(&origin))),
            KeyPresence::Faulty(error) => {
                let remedy = format!("deed auth set {provider}");
                Some(Check::fail(name, error.to_string(), remedy))
            }
            KeyPresence::NotSet => None,
        }
    };
    states.filter_map(check).collect()
}

/// Asks the usual servers on this machine.
async fn servers(patient: &Patient) -> Option<Check> {
    let transport = Transport::new(patient.settings.transport_options());
    let found = find_local(&transport).await;
    let lines = found.iter().map(|server| {
        let count = server.models.len();
        let models = if count == 1 { "model" } else { "models" };
        format!("{} at {}: {count} {models}", server.provider, server.root)
    });
    let mut lines = lines;
    let first = lines.next()?;
    Some(Check::ok("local servers", first).and(lines.collect::<Vec<_>>()))
}

fn proxy(patient: &Patient) -> Check {
    let named = match patient.settings.transport_options().proxy {
        ProxyChoice::None => "none",
        ProxyChoice::System => "what the variables of the system say",
        ProxyChoice::Url { .. } => "the one that the settings name",
    };
    Check::ok("proxy", named)
}
