//! Requests of others than models, such as those of extensions: any address, any answer.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};

use super::{Transport, shown_address};

/// As browsers have it.
///
/// Source: the Fetch standard, "HTTP-redirect fetch".
const MAX_REDIRECTS: usize = 20;
/// What the connection itself says, or would say something else than what was allowed.
const OWN_FIELDS: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// What belongs to a body, and goes with it.
const BODY_FIELDS: &[&str] = &[
    "content-encoding",
    "content-language",
    "content-location",
    "content-type",
];
/// What is meant for one host alone.
const SECRET_FIELDS: &[&str] = &["authorization", "cookie"];

/// A request for anything on the web.
#[derive(Clone, Debug, Default)]
pub struct WebRequest {
    /// Where it goes; `http` or `https`.
    pub url: String,
    /// What is to be done, such as `GET`.
    pub method: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// What is sent along.
    pub body: Option<Bytes>,
    /// What an answer means that points elsewhere.
    pub redirects: Redirects,
}

/// What an answer means that points elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirects {
    /// The request goes there.
    #[default]
    Follow,
    /// It is a failure.
    Fail,
    /// It is the answer.
    Return,
}

/// Why there is no answer, or no more of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The address cannot be asked.
    #[error("{url} is no address that can be asked: {why}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The method, a name or a value of the request is none.
    #[error("the request cannot be made: {0}")]
    Request(String),
    /// Whoever asks may not talk to this host.
    #[error("{host} may not be asked: {why}")]
    NotAllowed {
        /// The host.
        host: String,
        /// Why not.
        why: String,
    },
    /// The answer points elsewhere, which was not wanted.
    #[error("{from} points to another address, and redirects are errors here")]
    Redirected {
        /// Where it came from.
        from: String,
    },
    /// One address points to the next without end.
    #[error("more than {MAX_REDIRECTS} redirects, the last one to {to}")]
    TooManyRedirects {
        /// Where it would go.
        to: String,
    },
    /// The network, or whoever is asked, failed.
    #[error("{0}")]
    Failed(String),
}

/// An answer whose body is still to come; dropping it closes the connection.
pub struct WebReply {
    /// Its state.
    pub status: u16,
    /// What the state is called.
    pub reason: String,
    /// Where it came from in the end.
    pub url: String,
    /// Whether that is elsewhere than was asked.
    pub is_redirected: bool,
    /// Names and values in order; a body that came compressed is told as what it unpacks to.
    pub headers: Vec<(String, String)>,
    response: reqwest::Response,
    idle: std::time::Duration,
}

impl fmt::Debug for WebReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebReply")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl WebReply {
    fn new(response: reqwest::Response, hops: usize, idle: std::time::Duration) -> Self {
        let status = response.status();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers().iter();
        Self {
            status: status.as_u16(),
            reason: status.canonical_reason().unwrap_or_default().to_owned(),
            url: response.url().to_string(),
            is_redirected: hops > 0,
            headers: headers
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            response,
            idle,
        }
    }

    /// Returns what came next of the body; `None` at the end.
    ///
    /// Errors: the connection broke off, or nothing came for too long.
    ///
    /// Cancellation: dropping the future loses nothing.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, WebError> {
        let (idle, url) = (self.idle, shown_address(self.response.url()));
        match tokio::time::timeout(idle, self.response.chunk()).await {
            Ok(piece) => piece.map_err(|error| failed(super::reason::of_reading(&error))),
            Err(_) => Err(failed(super::reason::silence(&url, idle))),
        }
    }
}

fn failed(fault: crate::fault::Fault) -> WebError {
    WebError::Failed(fault.text)
}

impl Transport {
    /// Sends a request of somebody else than a model, by the same proxies and with the same
    /// certificates. `may` is asked of each host before it is talked to, those that answers point to
    /// included.
    ///
    /// Errors: there was no answer; one whose state is bad is none.
    ///
    /// Cancellation: dropping the future closes the connection.
    pub async fn fetch(
        &self,
        request: WebRequest,
        may: &(dyn Fn(&str) -> Result<(), String> + Sync),
    ) -> Result<WebReply, WebError> {
        let mut hop = Hop::first(request)?;
        for hops in 0..=MAX_REDIRECTS {
            let host = hop.url.host_str().unwrap_or_default();
            may(host).map_err(|why| WebError::NotAllowed {
                host: host.to_owned(),
                why,
            })?;
            let response = self.send_hop(&hop).await?;
            let target = target_of(&response);
            let Some(target) = target.filter(|_| hop.redirects != Redirects::Return) else {
                return Ok(WebReply::new(response, hops, self.0.options.idle_timeout));
            };
            if hop.redirects == Redirects::Fail {
                let from = shown_address(response.url());
                return Err(WebError::Redirected { from });
            }
            hop.go_to(&target, response.status())?;
        }
        let to = shown_address(&hop.url);
        Err(WebError::TooManyRedirects { to })
    }

    async fn send_hop(&self, hop: &Hop) -> Result<reqwest::Response, WebError> {
        let (address, idle) = (shown_address(&hop.url), self.0.options.idle_timeout);
        let client = self.client(&hop.url).await.map_err(failed)?;
        let mut sending = client
            .request(hop.method.clone(), hop.url.clone())
            .headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            sending = sending.body(body.clone());
        }
        match tokio::time::timeout(idle, sending.send()).await {
            Ok(answer) => {
                answer.map_err(|error| failed(super::reason::of_sending(&error, &address)))
            }
            Err(_) => Err(failed(super::reason::silence(&address, idle))),
        }
    }
}

/// Returns the host of an address; `None` if it is none of the web.
pub fn host_of(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    ensure_web(&url).ok()?;
    url.host_str().map(str::to_owned)
}

/// Returns where an answer points.
fn target_of(response: &reqwest::Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get("location").filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// One request of the chain.
struct Hop {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Option<Bytes>,
    redirects: Redirects,
}

impl Hop {
    fn first(request: WebRequest) -> Result<Self, WebError> {
        let url = Url::parse(&request.url).map_err(|error| address(&request.url, error))?;
        ensure_web(&url)?;
        let method = Method::from_bytes(request.method.as_bytes());
        let method =
            method.map_err(|_| WebError::Request(format!("`{}` is no method", request.method)))?;
        if matches!(method.as_str(), "CONNECT" | "TRACE" | "TRACK") {
            return Err(WebError::Request(format!(
                "the method {method} is not sent"
            )));
        }
        Ok(Self {
            url,
            method,
            headers: fields(&request.headers)?,
            body: request.body,
            redirects: request.redirects,
        })
    }

    /// Goes where an answer points.
    ///
    /// Source: the Fetch standard, "HTTP-redirect fetch".
    fn go_to(&mut self, target: &str, status: StatusCode) -> Result<(), WebError> {
        let mut url = self
            .url
            .join(target)
            .map_err(|error| address(target, error))?;
        ensure_web(&url)?;
        if url.fragment().is_none() {
            url.set_fragment(self.url.fragment());
        }
        let is_post = self.method == Method::POST;
        let asks_again = match status.as_u16() {
            301 | 302 => is_post,
            303 => !matches!(self.method, Method::GET | Method::HEAD),
            _ => false,
        };
        if asks_again {
            self.method = Method::GET;
            self.body = None;
            take_out(&mut self.headers, BODY_FIELDS);
        }
        if url.origin() != self.url.origin() {
            take_out(&mut self.headers, SECRET_FIELDS);
        }
        self.url = url;
        Ok(())
    }
}

fn take_out(headers: &mut HeaderMap, names: &[&str]) {
    for name in names {
        headers.remove(*name);
    }
}

fn fields(given: &[(String, String)]) -> Result<HeaderMap, WebError> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let wrong = |what: &str| WebError::Request(format!("the header field `{name}` {what}"));
        let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("has no name"))?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| wrong("has no value"))?;
        if !OWN_FIELDS.contains(&field.as_str()) {
            headers.append(field, value);
        }
    }
    Ok(headers)
}

fn address(url: &str, why: impl fmt::Display) -> WebError {
    WebError::Address {
        url: url.to_owned(),
        why: why.to_string(),
    }
}

/// Errors: it is not on the web, or names a person.
fn ensure_web(url: &Url) -> Result<(), WebError> {
    let shown = shown_address(url);
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(address(
            &shown,
            "it begins with neither http:// nor https://",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(address(
            &shown,
            "it holds a name or a password; send a header field",
        ));
    }
    Ok(())
}
