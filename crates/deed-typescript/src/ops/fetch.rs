//! Requests to the web, by the host's own way out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_models::web::{Redirects, WebError, WebReply, WebRequest};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;

use super::files::{from_base64, to_base64};
use super::{Op, OpContext, OpError, OpResult, Row, done, lock, read, say};
use crate::Access;

pub(super) const ROWS: &[Row] = &[
    ("fetch", Op::Later(fetch)),
    ("fetch.read", Op::Later(next)),
    ("fetch.cancel", Op::Now(cancel)),
];

/// How much of a body a script gets at once.
const MAX_PIECE_BYTES: usize = 256 * 1024;
/// How many answers may wait to be read; with one more, the oldest is let go.
const MAX_OPEN: usize = 128;

/// Answers that a script reads, oldest first.
#[derive(Default)]
pub(crate) struct Exchanges(Mutex<VecDeque<(String, Arc<Exchange>)>>);

/// One request.
#[derive(Default)]
struct Exchange {
    cancel: CancellationToken,
    body: AsyncMutex<Option<Body>>,
}

struct Body {
    reply: WebReply,
    /// What came and was not handed over yet.
    rest: Vec<u8>,
}

impl Exchanges {
    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, exchange) in lock(&self.0).drain(..) {
            exchange.cancel.cancel();
        }
    }

    fn open(&self, id: &str) -> Arc<Exchange> {
        let exchange = Arc::new(Exchange::default());
        let mut open = lock(&self.0);
        if open.len() >= MAX_OPEN
            && let Some((_, oldest)) = open.pop_front()
        {
            oldest.cancel.cancel();
        }
        open.push_back((id.to_owned(), exchange.clone()));
        exchange
    }

    fn find(&self, id: &str) -> Option<Arc<Exchange>> {
        let open = lock(&self.0);
        let found = open.iter().find(|(known, _)| known == id);
        found.map(|(_, exchange)| exchange.clone())
    }

    fn close(&self, id: &str) -> Option<Arc<Exchange>> {
        let mut open = lock(&self.0);
        let at = open.iter().position(|(known, _)| known == id)?;
        open.remove(at).map(|(_, exchange)| exchange)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fetch {
    id: Value,
    url: String,
    method: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body_base64: Option<String>,
    redirect: Option<String>,
}

impl Fetch {
    fn request(self) -> Result<WebRequest, OpError> {
        let body = self.body_base64.as_deref().map(from_base64).transpose()?;
        let redirects = match self.redirect.as_deref() {
            Some("follow") | None => Redirects::Follow,
            Some("error") => Redirects::Fail,
            Some("manual") => Redirects::Return,
            Some(other) => {
                let text = format!("redirect is `{other}`; it is follow, error or manual");
                return Err(OpError::failed(text));
            }
        };
        Ok(WebRequest {
            url: self.url,
            method: self.method,
            headers: self.headers,
            body: body.map(Into::into),
            redirects,
        })
    }
}

fn fetch(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let asked: Fetch = read(&json)?;
        let id = asked.id.to_string();
        let request = asked.request()?;
        let exchange = context.exchanges.open(&id);
        let options = &context.bridge.options;
        let may = |host: &str| options.permissions.check(&Access::Connect(host));
        let fetching = options.transport.fetch(request, &may);
        let answer = match exchange.cancel.run_until_cancelled(fetching).await {
            Some(answer) => answer.map_err(refused),
            None => Err(aborted()),
        };
        let reply = answer.inspect_err(|_| drop(context.exchanges.close(&id)))?;
        let head = json!({
            "status": reply.status,
            "statusText": reply.reason,
            "url": reply.url,
            "redirected": reply.is_redirected,
            "headers": reply.headers,
        });
        *exchange.body.lock().await = Some(Body {
            reply,
            rest: Vec::new(),
        });
        say(head)
    })
}

fn refused(error: WebError) -> OpError {
    match error {
        WebError::NotAllowed { host, why } => OpError::denied(Access::Connect(&host), &why),
        other => OpError::failed(other),
    }
}

fn aborted() -> OpError {
    OpError::failed("the request was called off").with_code("ABORT_ERR")
}

#[derive(Deserialize)]
struct Of {
    id: Value,
}

fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { id } = read(&json)?;
        let id = id.to_string();
        let Some(exchange) = context.exchanges.find(&id) else {
            let text = "the answer is not there any more: it was read, called off, or let go since \
                        too many others waited to be read";
            return Err(OpError::failed(text));
        };
        let piece = match exchange.cancel.run_until_cancelled(exchange.piece()).await {
            Some(piece) => piece.map_err(refused),
            None => Err(aborted()),
        };
        match piece {
            Ok(Some(piece)) => say(json!({ "base64": to_base64(&piece) })),
            Ok(None) => {
                context.exchanges.close(&id);
                say(json!({ "done": true }))
            }
            Err(error) => {
                context.exchanges.close(&id);
                Err(error)
            }
        }
    })
}

impl Exchange {
    /// Returns the next piece of the body; `None` at its end.
    async fn piece(&self) -> Result<Option<Vec<u8>>, WebError> {
        let mut body = self.body.lock().await;
        let Some(body) = body.as_mut() else {
            return Ok(None);
        };
        while body.rest.is_empty() {
            match body.reply.chunk().await? {
                Some(chunk) => body.rest = chunk.into(),
                None => return Ok(None),
            }
        }
        let size = body.rest.len().min(MAX_PIECE_BYTES);
        let rest = body.rest.split_off(size);
        Ok(Some(std::mem::replace(&mut body.rest, rest)))
    }
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Of { id } = read(json)?;
    if let Some(exchange) = context.exchanges.close(&id.to_string()) {
        exchange.cancel.cancel();
    }
    done()
}
