//! Errors in the words of providers.

use deed_protocol::ErrorKind;
use serde_json::Value;

use super::classify::classify;
use super::{Fault, excerpt};

/// An answer that refuses the request.
#[derive(Debug)]
pub(crate) struct Refusal<'a> {
    /// Who refuses.
    pub(crate) provider: &'a str,
    /// Which model was asked for.
    pub(crate) model: &'a str,
    /// Where it was asked, fit to be shown.
    pub(crate) address: &'a str,
    /// How the person sets a key.
    pub(crate) key_hint: &'a str,
    /// The state of HTTP.
    pub(crate) status: u16,
    /// Where a redirection leads.
    pub(crate) location: Option<&'a str>,
    /// What the provider asks to wait by header field.
    pub(crate) retry_after_ms: Option<u64>,
    /// The start of the body.
    pub(crate) body: &'a str,
}

impl Refusal<'_> {
    /// Returns the fault that this is.
    pub(crate) fn into_fault(self) -> Fault {
        if let Some(location) = self.location.filter(|_| (300..400).contains(&self.status)) {
            let text = format!(
                "{} answers with a redirection ({}) to {}; set that as the base URL if it is right",
                self.address,
                self.status,
                excerpt(location)
            );
            return Fault::new(ErrorKind::NotFound, text);
        }
        let Ok(body) = serde_json::from_str::<Value>(self.body) else {
            return self.not_json();
        };
        let said = Said::of(&body);
        let kind = classify(Some(self.status), &said.codes, &said.text);
        Fault {
            kind,
            text: self.sentence(kind, &said.text),
            retry_after_ms: self.retry_after_ms.or(said.retry_after_ms),
        }
    }

    fn not_json(self) -> Fault {
        let start = excerpt(self.body);
        let kind = classify(Some(self.status), "", &start);
        let is_page = self.body.trim_start().starts_with('<');
        let text = if is_page {
            format!(
                "{} answered with a web page, not with JSON (status {}): {start}; check the base URL",
                self.address, self.status
            )
        } else {
            self.sentence(kind, &start)
        };
        Fault {
            kind,
            text,
            retry_after_ms: self.retry_after_ms,
        }
    }

    fn sentence(&self, kind: ErrorKind, said: &str) -> String {
        let (provider, model, status) = (self.provider, self.model, self.status);
        let said = if said.is_empty() {
            format!("status {status}, without a word")
        } else {
            format!("status {status}: {said}")
        };
        match kind {
            ErrorKind::Auth => format!(
                "{provider} does not accept the key ({said}); {}",
                self.key_hint
            ),
            ErrorKind::NotFound => format!(
                "{provider} has no model {model:?} at {} ({said}); check the name and the base URL",
                self.address
            ),
            ErrorKind::ContextOverflow => {
                format!("the transcript does not fit {model} ({said}); compact it")
            }
            ErrorKind::Quota => format!("no credit or quota is left at {provider} ({said})"),
            ErrorKind::RateLimit => {
                format!("{provider} got too many requests ({said}); try again later")
            }
            ErrorKind::Overloaded => format!("{provider} has too much to do ({said})"),
            ErrorKind::Server | ErrorKind::Timeout => format!("{provider} failed ({said})"),
            _ => format!("{provider} does not take the request ({said})"),
        }
    }
}

/// Returns the fault that an error object inside an answer means.
pub(crate) fn fault_of_json(provider: &str, body: &Value) -> Fault {
    let said = Said::of(body);
    let kind = classify(said.status, &said.codes, &said.text);
    let text = if said.text.is_empty() {
        excerpt(&body.to_string())
    } else {
        said.text
    };
    let hint = if kind == ErrorKind::ContextOverflow {
        "; compact the transcript"
    } else {
        ""
    };
    Fault {
        kind,
        text: format!("{provider} reports an error: {text}{hint}"),
        retry_after_ms: said.retry_after_ms,
    }
}

/// What an error object says, whatever its shape.
struct Said {
    text: String,
    codes: String,
    /// The state of HTTP that a code is.
    status: Option<u16>,
    retry_after_ms: Option<u64>,
}

impl Said {
    fn of(body: &Value) -> Self {
        let body = match body {
            Value::Array(items) => items.first().unwrap_or(body),
            _ => body,
        };
        let error = match body.get("error") {
            Some(error) if !error.is_null() => error,
            _ => body,
        };
        let own = ["message", "detail", "msg", "error_description"]
            .iter()
            .find_map(|name| text_of(error.get(*name)?));
        let outer = || text_of(body.get("message")?);
        // A gateway puts the words of the provider behind it in here.
        let inner = error.pointer("/metadata/raw").and_then(text_of);
        let mut text = own
            .or_else(|| text_of(error))
            .or_else(outer)
            .unwrap_or_default();
        if let Some(inner) = inner {
            text = format!("{text} ({inner})");
        }
        let codes = || {
            let names = ["code", "type", "status", "reason"];
            let found = names.map(|name| [error.get(name), body.get(name)]);
            found.into_iter().flatten().flatten()
        };
        let words: Vec<&str> = codes().filter_map(Value::as_str).collect();
        let numbers = codes().filter_map(Value::as_u64);
        Self {
            text: excerpt(&text),
            codes: words.join(" "),
            status: numbers
                .filter_map(|number| u16::try_from(number).ok())
                .find(|number| (400..600).contains(number)),
            retry_after_ms: retry_delay(error),
        }
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Array(items) => {
            let texts: Vec<String> = items
                .iter()
                .filter_map(|item| text_of(item.get("msg").or(item.get("message"))?))
                .collect();
            (!texts.is_empty()).then(|| texts.join("; "))
        }
        _ => None,
    }
}

/// Reads how long Google asks to wait, such as `13s` or `0.5s`.
fn retry_delay(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details
        .iter()
        .find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    seconds_to_ms(seconds)
}

/// Turns seconds into milliseconds; nothing for what is no time to wait.
pub(crate) fn seconds_to_ms(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1000.0).ceil() as u64)
}
