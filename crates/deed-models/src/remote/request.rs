use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use deed_agent::{ModelRequest, ToolSet};
use deed_protocol::ErrorKind;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde_json::{Map, Value};

use super::RemoteModel;
use crate::body::PiecedBody;
use crate::fault::Fault;
use crate::history::Written;
use crate::http::Outgoing;
use crate::merge::merge;
use crate::schema::{ToolNames, grammar};
use crate::transcript::Target;
use crate::wire::Ask;

/// Where interfaces put how much to think.
const THINKING_MEMBERS: &[&str] = &[
    "/reasoning_effort",
    "/reasoning/effort",
    "/output_config/effort",
    "/thinking/budget_tokens",
    "/generationConfig/thinkingConfig/thinkingLevel",
    "/generationConfig/thinkingConfig/thinkingBudget",
    "/enable_thinking",
    "/thinking/type",
];

/// The member of the body that declares tools.
const TOOLS: &str = "tools";

/// The tools of a request as they are declared; kept as long as the set is the same.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    tools: Arc<ToolSet>,
    /// The member `tools` of the body, written.
    written: Option<Arc<str>>,
    pub(super) names: Arc<ToolNames>,
}

impl RemoteModel {
    /// Returns the tools as the provider is told of them.
    ///
    /// Errors: a tool wants what the interface cannot do.
    pub(super) fn declared(&self, request: &ModelRequest) -> Result<Declared, Fault> {
        let mut kept = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(declared) = kept.as_ref()
            && Arc::ptr_eq(&declared.tools, &request.tools)
        {
            return Ok(declared.clone());
        }
        let names = Arc::new(self.names(&request.tools));
        let declared = Declared {
            written: self
                .wire
                .tools(&self.spec, &request.tools, &names)?
                .map(|tools| tools.to_string().into()),
            tools: request.tools.clone(),
            names,
        };
        *kept = Some(declared.clone());
        Ok(declared)
    }

    fn names(&self, tools: &ToolSet) -> ToolNames {
        let mut names = ToolNames::new(tools.names());
        if self.wire.takes_grammars(&self.spec) {
            for spec in tools.iter().map(|tool| tool.spec()) {
                if let Some(grammar) = grammar(spec) {
                    names.takes_text(spec.name.clone(), grammar.argument);
                }
            }
        }
        names
    }

    /// Makes the request.
    ///
    /// Errors: the address cannot be used.
    pub(super) fn outgoing(&self, headers: HeaderMap, body: PiecedBody) -> Result<Outgoing, Fault> {
        let url = self.url()?;
        Ok(Outgoing {
            method: Method::POST,
            url,
            headers,
            body: Some(reqwest::Body::wrap(body)),
            idle_timeout: self.spec.quirks.idle_timeout_ms.map(Duration::from_millis),
        })
    }

    fn url(&self) -> Result<Url, Fault> {
        let (base, query) = match self.spec.base_url.split_once('?') {
            Some((base, query)) => (base, Some(query)),
            None => (self.spec.base_url.as_str(), None),
        };
        let mut whole = format!(
            "{}{}",
            base.trim_end_matches('/'),
            self.wire.path(&self.spec)
        );
        if let Some(query) = query {
            whole.push(if whole.contains('?') { '&' } else { '?' });
            whole.push_str(query);
        }
        // The base alone: `http://` with a path behind it would make a host of the path.
        let is_address = Url::parse(base)
            .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let url = Url::parse(&whole).ok().filter(|_| is_address);
        url.ok_or_else(|| {
            Fault::new(
                ErrorKind::InvalidRequest,
                format!(
                    "the base URL of {} is no address; it must begin with http:// or https://",
                    self.spec.provider
                ),
            )
        })
    }

    /// Errors: a header field cannot be used.
    pub(super) fn headers(&self, key: Option<&str>) -> Result<HeaderMap, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("text/event-stream, application/json"),
        );
        for (name, value) in self.wire.headers(&self.spec, key) {
            insert(&mut headers, name, &value)?;
        }
        for (name, value) in &self.spec.headers {
            insert(&mut headers, name, value)?;
        }
        Ok(headers)
    }

    /// Writes the body: first what is said of the request, then the transcript.
    pub(super) fn body(&self, request: &ModelRequest, declared: &Declared) -> PiecedBody {
        let ask = self.ask(request);
        let list = self.wire.list();
        let mut members = self.wire.members(&ask);
        let mut tools = declared.written.as_deref();
        if self.spec.extra_body.contains_key(TOOLS) {
            let whole = tools
                .take()
                .and_then(|tools| serde_json::from_str(tools).ok());
            members.extend(whole.map(|tools: Value| (TOOLS.to_owned(), tools)));
        }
        merge(&mut members, &self.spec.extra_body);
        let has_list = members.contains_key(list);
        let mut head = Head::new(&members);
        if let Some(tools) = tools {
            head.member(TOOLS, tools);
        }
        let mut body = PiecedBody::default();
        if has_list {
            body.push(head.finish("}"));
            return body;
        }
        let lead = self.wire.lead(&ask).map(|lead| lead.to_string());
        let mut written = self.written(request);
        if lead.is_none() {
            written.drop_first_comma();
        }
        head.member(list, "[");
        body.push(head.finish(&lead.unwrap_or_default()));
        for segment in written.segments {
            body.push(segment);
        }
        written.tail.extend_from_slice(b"]}");
        body.push(written.tail.into());
        body
    }

    fn written(&self, request: &ModelRequest) -> Written {
        let blocks_images = self.blocks_images.load(Ordering::Relaxed);
        let target = Target::of(&self.spec, blocks_images);
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.write(self.wire, &self.spec, &request.messages, target)
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest) -> Ask<'a> {
        Ask {
            spec: &self.spec,
            system: &request.system,
            thinking: self.spec.fitted(request.thinking),
            cache_key: self.cache_key.as_deref(),
        }
    }

    /// Returns how much to think in the words that were sent.
    pub(super) fn thinking_sent(&self, request: &ModelRequest) -> Option<Value> {
        if self.spec.thinking_levels.is_empty() {
            return None;
        }
        let mut members = self.wire.members(&self.ask(request));
        merge(&mut members, &self.spec.extra_body);
        let members = Value::Object(members);
        THINKING_MEMBERS
            .iter()
            .find_map(|place| members.pointer(place).cloned())
    }
}

/// The start of an object, as far as it is written.
struct Head(Vec<u8>);

impl Head {
    fn new(members: &Map<String, Value>) -> Self {
        // A map with texts as keys can always be written.
        let mut written = serde_json::to_vec(members).unwrap_or_else(|_| b"{}".to_vec());
        written.pop();
        Self(written)
    }

    /// Begins a member with JSON that is written already.
    fn member(&mut self, name: &str, json: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        for text in ["\"", name, "\":", json] {
            self.0.extend_from_slice(text.as_bytes());
        }
    }

    fn finish(mut self, end: &str) -> Bytes {
        self.0.extend_from_slice(end.as_bytes());
        self.0.into()
    }
}

/// Sets a header field; one that may hold a secret is marked so.
pub(super) fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Fault> {
    let bad = |what: &str| {
        let text = format!(
            "the header field {name:?} cannot be sent: its {what} holds characters that are not allowed"
        );
        Fault::new(ErrorKind::InvalidRequest, text)
    };
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("name"))?;
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad("value"))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

impl Written {
    /// Makes the first item the first of its list.
    fn drop_first_comma(&mut self) {
        match self.segments.first_mut() {
            Some(first) => *first = first.slice(1..),
            None if !self.tail.is_empty() => {
                self.tail.remove(0);
            }
            None => {}
        }
    }
}
