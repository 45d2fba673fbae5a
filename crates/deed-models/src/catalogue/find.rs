use deed_protocol::ThinkingLevel;

use super::near::nearest;
use super::{FindError, Found, FoundBy, ModelSettings, Provider, build};

/// How many models an error lists.
const MAX_CANDIDATES: usize = 8;

/// A model of a provider.
type Pick<'a> = (&'a Provider, &'a ModelSettings);

pub(super) fn find(
    providers: &[Provider],
    pattern: &str,
    provider_name: Option<&str>,
) -> Result<Found, FindError> {
    let named = provider_name
        .map(|name| provider(providers, name))
        .transpose()?;
    let search = Search { providers, named };
    if let Some(pick) = search.exact(pattern)? {
        return found(pick, None, FoundBy::Name);
    }
    let (bare, thinking) = split_level(pattern);
    if thinking.is_some()
        && let Some(pick) = search.exact(bare)?
    {
        return found(pick, thinking, FoundBy::Name);
    }
    search.by_part(bare, thinking)
}

/// Finds a provider by its id.
pub(super) fn provider<'a>(
    providers: &'a [Provider],
    name: &str,
) -> Result<&'a Provider, FindError> {
    let name = name.trim();
    let known = providers.iter().find(|known| known.id == name);
    known.ok_or_else(|| FindError::UnknownProvider {
        provider: name.to_owned(),
        near: nearest(name, providers.iter().map(|known| known.id.clone())),
    })
}

fn found(
    (provider, model): Pick<'_>,
    thinking: Option<ThinkingLevel>,
    by: FoundBy,
) -> Result<Found, FindError> {
    Ok(Found {
        spec: build::spec(provider, model)?,
        thinking,
        by,
    })
}

/// Takes a thinking level off the end of a name.
fn split_level(pattern: &str) -> (&str, Option<ThinkingLevel>) {
    match pattern.rsplit_once(':') {
        Some((bare, word)) => match word.parse() {
            Ok(level) => (bare, Some(level)),
            Err(_) => (pattern, None),
        },
        None => (pattern, None),
    }
}

struct Search<'a> {
    providers: &'a [Provider],
    /// The provider that was named apart from the model.
    named: Option<&'a Provider>,
}

impl<'a> Search<'a> {
    /// Splits a provider that is known off the front of a name.
    fn split_provider<'p>(&self, pattern: &'p str) -> (Option<&'a Provider>, &'p str) {
        let (front, id) = match pattern.split_once('/') {
            Some((front, id)) => (Some(front), id),
            None => (None, pattern),
        };
        let is_front = |known: &&Provider| Some(known.id.as_str()) == front;
        match self.named {
            // The id of a model may begin with a name that is a provider's too.
            Some(named) if is_front(&named) => (Some(named), id),
            Some(named) => (Some(named), pattern),
            None => match self.providers.iter().find(is_front) {
                Some(known) => (Some(known), id),
                None => (None, pattern),
            },
        }
    }

    fn all(&self) -> impl Iterator<Item = Pick<'a>> + use<'a> {
        let named = self.named.map(|named| named.id.as_str());
        self.providers
            .iter()
            .filter(move |provider| named.is_none_or(|named| provider.id == named))
            .flat_map(|provider| {
                provider
                    .settings
                    .models
                    .iter()
                    .map(move |it| (provider, it))
            })
    }

    /// Finds a model by its whole name, with or without its provider.
    fn exact(&self, pattern: &str) -> Result<Option<Pick<'a>>, FindError> {
        let (provider, id) = self.split_provider(pattern);
        let in_provider = self.all().find(|(known, model)| {
            provider.is_some_and(|provider| provider.id == known.id) && model.id == id
        });
        if in_provider.is_some() {
            return Ok(in_provider);
        }
        let same: Vec<_> = self
            .all()
            .filter(|(_, model)| model.id == pattern)
            .collect();
        match same.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(*only)),
            several => Err(ambiguous(pattern, several)),
        }
    }

    /// Finds a model by the start of its name, then by any part of it.
    fn by_part(&self, pattern: &str, thinking: Option<ThinkingLevel>) -> Result<Found, FindError> {
        let (provider, id) = self.split_provider(pattern);
        let low = id.to_lowercase();
        let within: Vec<Pick<'a>> = self
            .all()
            .filter(|(known, _)| provider.is_none_or(|provider| provider.id == known.id))
            .collect();
        let starts = |name: &str| name.to_lowercase().starts_with(&low);
        let holds = |name: &str| name.to_lowercase().contains(&low);
        let mut picks: Vec<Pick<'a>> = Vec::new();
        if !low.is_empty() {
            picks = filtered(&within, &starts);
            if picks.is_empty() {
                picks = filtered(&within, &holds);
            }
        }
        match (picks.as_slice(), provider) {
            ([only], _) => found(*only, thinking, FoundBy::Part),
            // With a number in it, it is more likely a model that is on no list.
            ([_, _, ..], Some(provider)) if id.contains(|c: char| c.is_ascii_digit()) => {
                unlisted(provider, id, thinking)
            }
            ([_, _, ..], _) => Err(ambiguous(pattern, &picks)),
            ([], Some(provider)) if !id.is_empty() => unlisted(provider, id, thinking),
            ([], _) => Err(FindError::NoMatch {
                pattern: pattern.to_owned(),
                near: nearest(pattern, self.all().map(name_of)),
            }),
        }
    }
}

fn filtered<'a>(picks: &[Pick<'a>], fits: &dyn Fn(&str) -> bool) -> Vec<Pick<'a>> {
    let fits_one = |(_, model): &&Pick<'a>| {
        let name = model.name.as_deref();
        // The part of an id behind its maker counts as a start too.
        let own = model.id.rsplit('/').next().unwrap_or_default();
        fits(&model.id) || fits(own) || name.is_some_and(fits)
    };
    picks.iter().filter(fits_one).copied().collect()
}

fn unlisted(
    provider: &Provider,
    id: &str,
    thinking: Option<ThinkingLevel>,
) -> Result<Found, FindError> {
    let model = ModelSettings {
        id: id.to_owned(),
        ..ModelSettings::default()
    };
    found((provider, &model), thinking, FoundBy::Provider)
}

fn ambiguous(pattern: &str, picks: &[Pick<'_>]) -> FindError {
    FindError::Ambiguous {
        pattern: pattern.to_owned(),
        candidates: picks
            .iter()
            .take(MAX_CANDIDATES)
            .map(|pick| name_of(*pick))
            .collect(),
    }
}

fn name_of((provider, model): Pick<'_>) -> String {
    format!("{}/{}", provider.id, model.id)
}
