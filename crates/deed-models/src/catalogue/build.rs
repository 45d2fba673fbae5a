use deed_protocol::ThinkingLevel;

use super::{FindError, ModelSettings, Provider};
use crate::merge::lay_over;
use crate::{Api, ModelSpec};

/// The levels of a model of which nothing more is known than that it thinks.
const USUAL_LEVELS: [ThinkingLevel; 4] = [
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
];

/// Makes what is known of a model, its provider's settings laid under its own.
///
/// Errors: nobody says where it is, or a quirk is none.
pub(super) fn spec(provider: &Provider, model: &ModelSettings) -> Result<ModelSpec, FindError> {
    let settings = &provider.settings;
    let mut whole = settings.model_defaults.clone();
    whole.lay_over(model);
    let address = whole.base_url.as_ref().or(settings.base_url.as_ref());
    let Some(base_url) = address.filter(|url| !url.trim().is_empty()) else {
        return Err(FindError::NoAddress {
            provider: provider.id.clone(),
        });
    };
    let quirks = settings
        .quirks(&whole)
        .map_err(|why| FindError::BadQuirks {
            model: format!("{}/{}", provider.id, model.id),
            why: why.to_string(),
        })?;
    let mut headers = settings.headers.clone();
    headers.extend(whole.headers.clone());
    let mut extra_body = settings.extra_body.clone();
    lay_over(&mut extra_body, &whole.extra_body);
    Ok(ModelSpec {
        provider: provider.id.as_str().into(),
        id: model.id.as_str().into(),
        name: model.name.as_deref().unwrap_or(&model.id).into(),
        api: whole.api.or(settings.api).unwrap_or(Api::Chat),
        base_url: base_url.trim().trim_end_matches('/').to_owned(),
        headers: headers.into_iter().collect(),
        extra_body,
        context_window: whole.context_window.unwrap_or(0),
        max_output_tokens: whole.max_tokens.unwrap_or(0),
        takes_images: takes_images(&whole),
        thinking_levels: levels(&whole),
        prices: whole.cost.clone().unwrap_or_default(),
        quirks,
    })
}

fn takes_images(model: &ModelSettings) -> bool {
    let input = model.input.as_deref().unwrap_or_default();
    input.iter().any(|kind| kind == "image")
}

fn levels(model: &ModelSettings) -> Vec<ThinkingLevel> {
    let mut levels = match (&model.thinking_levels, model.reasoning) {
        (Some(levels), _) => levels.clone(),
        (None, Some(true)) => USUAL_LEVELS.to_vec(),
        (None, _) => Vec::new(),
    };
    let mapped = model.thinking_level_map.iter();
    for (level, word) in mapped.filter_map(|(level, word)| Some((level.parse().ok()?, word))) {
        let level: ThinkingLevel = level;
        if word.is_none() {
            levels.retain(|known| *known != level);
        } else if !levels.is_empty() {
            levels.push(level);
        }
    }
    levels.retain(|level| *level != ThinkingLevel::Off);
    levels.sort_unstable();
    levels.dedup();
    levels
}
