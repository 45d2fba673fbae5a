use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use serde_json::Value;

use super::Answer;
use crate::http::{Outgoing, Transport};

/// How much of an answer is read.
const MAX_BYTES: usize = 8 * 1024 * 1024;

pub(super) async fn get(transport: &Transport, url: &str) -> Answer {
    ask(transport, Method::GET, url, None).await
}

pub(super) async fn post(transport: &Transport, url: &str, body: &Value) -> Answer {
    ask(transport, Method::POST, url, Some(body)).await
}

/// Returns the JSON that came; nothing for a refusal, for other things than JSON, and for silence.
async fn ask(transport: &Transport, method: Method, url: &str, body: Option<&Value>) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let request = Outgoing {
        method,
        url: Url::parse(url).ok()?,
        headers,
        body: body.map(|body| body.to_string().into()),
        idle_timeout: None,
    };
    let mut reply = transport.send(request).await.ok()?;
    if reply.status() != 200 {
        return None;
    }
    serde_json::from_str(&reply.start(MAX_BYTES).await).ok()
}
