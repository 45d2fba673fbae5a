//! What others see of a request and of its answer, and may change of the request.

use std::sync::Arc;

use deed_agent::ExchangeHooks;
use deed_protocol::ErrorKind;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::request::insert;
use super::{Asked, RemoteModel};
use crate::body::PiecedBody;
use crate::fault::Fault;
use crate::http::Reply;

/// Header fields of answers that hold what nobody needs to know.
const WITHHELD: &[&str] = &["set-cookie", "www-authenticate", "proxy-authenticate"];

impl RemoteModel {
    /// Lets others change the body.
    ///
    /// Errors: what is to be sent cannot be read back, which does not happen.
    pub(super) async fn seen_body(
        &self,
        asked: Asked<'_>,
        body: PiecedBody,
    ) -> Result<PiecedBody, Fault> {
        let Some(seen) = asked.seen.filter(|seen| seen.wants_payload()) else {
            return Ok(body);
        };
        let bytes = body.into_bytes();
        let read: serde_json::Result<Value> = serde_json::from_slice(&bytes);
        let payload = Arc::new(read.map_err(|error| {
            let text = format!("the request that was written makes no sense: {error}");
            Fault::new(ErrorKind::InvalidRequest, text)
        })?);
        let changed = seen.payload(payload.clone()).await;
        let mut body = PiecedBody::default();
        body.push(match changed == payload {
            true => bytes,
            false => changed.to_string().into(),
        });
        Ok(body)
    }

    /// Lets others change header fields that hold no key.
    ///
    /// Errors: one that they set cannot be sent.
    pub(super) async fn seen_headers(
        &self,
        asked: Asked<'_>,
        key: Option<&str>,
        mut headers: HeaderMap,
    ) -> Result<HeaderMap, Fault> {
        let Some(seen) = asked.seen.filter(|seen| seen.wants_headers()) else {
            return Ok(headers);
        };
        let secrets: Vec<&str> = key.into_iter().chain(self.spec.secrets()).collect();
        let is_secret = |value: &str| {
            let mut secrets = secrets.iter().filter(|secret| !secret.is_empty());
            secrets.any(|secret| value.contains(secret))
        };
        let shown: Vec<(String, String)> = texts(&headers)
            .filter(|(_, value)| !is_secret(value))
            .collect();
        let before = shown.clone().into_iter();
        let before = before.map(|(name, value)| (name, Some(value))).collect();
        let wanted = seen.headers(before).await;
        for (name, _) in &shown {
            headers.remove(name);
        }
        for (name, value) in wanted {
            match value {
                Some(value) => insert(&mut headers, &name, &value)?,
                None => {
                    headers.remove(&*name);
                }
            }
        }
        Ok(headers)
    }
}

/// Tells others that an answer has begun.
pub(super) async fn told_response(seen: Option<&dyn ExchangeHooks>, reply: &Reply) {
    let Some(seen) = seen.filter(|seen| seen.wants_response()) else {
        return;
    };
    let headers = texts(reply.headers());
    let headers = headers.filter(|(name, _)| !WITHHELD.contains(&&**name));
    seen.response(reply.status(), headers.collect()).await;
}

/// Returns the header fields that are texts.
fn texts(headers: &HeaderMap) -> impl Iterator<Item = (String, String)> {
    headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    })
}
