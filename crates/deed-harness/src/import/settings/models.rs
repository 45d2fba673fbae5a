//! Pi's providers, which become settings.

use deed_models::Api;
use serde_json::{Map, Value, json};

use super::super::keys::{key_spec, literal};
use super::super::{Action, ImportKind, Plan};
use crate::settings::{MODEL_MEMBERS, PROVIDER_MEMBERS, wrong_provider};

const FILE: &str = "models.json";

impl Plan<'_> {
    pub(in super::super) fn models(&mut self) {
        let Some(mut file) = self.object(FILE) else {
            return;
        };
        let Some(Value::Object(providers)) = file.remove("providers") else {
            return self.skip(ImportKind::Other, FILE, "it names no providers");
        };
        for (id, provider) in providers {
            let name = format!("{FILE}: {id}");
            match translated(&id, provider) {
                Ok(translated) => self.provider(id, name, translated),
                Err(reason) => self.not_supported(ImportKind::Provider, name, reason),
            }
        }
    }

    fn provider(&mut self, id: String, name: String, translated: Translated) {
        if let Some(key) = translated.key {
            match key_spec(&key) {
                Ok(key) => self.provider_keys.push((id.clone(), key)),
                Err(reason) => self.not_supported(ImportKind::Key, name.clone(), reason),
            }
        }
        if translated.settings.is_empty() {
            return;
        }
        if !self.knows(&id) && !is_reachable(&translated.settings) {
            let reason = "Deed does not know it, and nothing says how it is reached";
            return self.not_supported(ImportKind::Provider, name, reason);
        }
        let to = self.places.config.join(super::FILE);
        if to.symlink_metadata().is_ok() {
            let reason = super::already(&to, &format!("providers.{id}"));
            return self.skip(ImportKind::Provider, name, reason);
        }
        let providers = self
            .settings
            .entry("providers")
            .or_insert_with(|| json!({}));
        if let Value::Object(providers) = providers {
            providers.insert(id, Value::Object(translated.settings));
        }
        let out = translated.left_out;
        let note = (!out.is_empty()).then(|| format!("without {}", out.join(", ")));
        self.take_with_note(ImportKind::Provider, name, note, (to, Action::Settings));
    }
}

/// A provider as Deed's settings have it.
struct Translated {
    settings: Map<String, Value>,
    key: Option<String>,
    left_out: Vec<String>,
}

fn translated(id: &str, provider: Value) -> Result<Translated, String> {
    let Value::Object(mut settings) = provider else {
        return Err("it is no object".to_owned());
    };
    if settings.contains_key("oauth") {
        return Err("signing in with an account is not in this version".to_owned());
    }
    let mut left_out = Vec::new();
    ensure_api(&settings)?;
    let key = settings.remove("apiKey");
    let key = key.and_then(|key| key.as_str().map(str::to_owned));
    tidy(&mut settings, PROVIDER_MEMBERS, "", &mut left_out);
    for list in ["models", "modelOverrides"] {
        if let Some(list) = settings.get_mut(list) {
            tidy_models(list, &mut left_out);
        }
    }
    if let Some(why) = wrong_provider(id, &Value::Object(settings.clone())) {
        return Err(why);
    }
    Ok(Translated {
        settings,
        key,
        left_out,
    })
}

/// Tells whether address and interface are said, for the provider or for its models.
fn is_reachable(provider: &Map<String, Value>) -> bool {
    let models = provider.get("models").and_then(Value::as_array);
    let models = || models.into_iter().flatten();
    let is_said =
        |name: &str| provider.contains_key(name) || models().any(|model| model.get(name).is_some());
    is_said("baseUrl") && is_said("api")
}

fn ensure_api(fields: &Map<String, Value>) -> Result<(), String> {
    match fields.get("api").and_then(Value::as_str) {
        Some(api) if Api::named(api).is_none() => Err(format!("Deed does not speak {api}")),
        _ => Ok(()),
    }
}

/// Leaves out models that cannot be reached, and what of the others means nothing here.
fn tidy_models(models: &mut Value, left_out: &mut Vec<String>) {
    match models {
        Value::Array(list) => list.retain_mut(|model| {
            let id = model.get("id").and_then(Value::as_str);
            let id = id.unwrap_or_default().to_owned();
            tidy_model(&id, model, left_out)
        }),
        Value::Object(by_id) => by_id.retain(|id, model| tidy_model(id, model, left_out)),
        _ => {}
    }
}

fn tidy_model(id: &str, model: &mut Value, left_out: &mut Vec<String>) -> bool {
    let Value::Object(fields) = model else {
        return true;
    };
    if let Err(why) = ensure_api(fields) {
        left_out.push(format!("{id} ({why})"));
        return false;
    }
    tidy(fields, MODEL_MEMBERS, &format!("{id}: "), left_out);
    true
}

fn tidy(fields: &mut Map<String, Value>, known: &[&str], of: &str, left_out: &mut Vec<String>) {
    // What is merged into every request has another name here.
    if let Some(sampling) = fields.remove("samplingParams") {
        fields.insert("extraBody".to_owned(), sampling);
    }
    fields.retain(|name, _| {
        let is_known = known.contains(&name.as_str());
        if !is_known {
            left_out.push(format!("{of}{name}"));
        }
        is_known
    });
    if let Some(Value::Object(headers)) = fields.get_mut("headers") {
        headers.retain(|name, value| {
            let plain = value.as_str().filter(|value| !value.starts_with('!'));
            let plain = plain.and_then(literal);
            if plain.is_none() {
                left_out.push(format!(
                    "{of}the header {name}, which a variable or a command gives"
                ));
            }
            *value = plain.clone().unwrap_or_default().into();
            plain.is_some()
        });
    }
}
