//! A model that is reached over the network.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use deed_agent::{BoxFuture, ExchangeHooks, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_protocol::{AssistantMessage, ErrorKind, StopReason};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::assemble::Assembler;
use crate::fault::{Fault, Refusal};
use crate::history::History;
use crate::http::{Reply, Transport, retry_after_ms, shown_address};
use crate::read::{Reader, read_to_end};
use crate::transcript::Target;
use crate::wire::{self, Wire};
use crate::{KeySource, ModelSpec};

mod request;
mod seen;

use request::Declared;

/// How much of the body of a refusal is read.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// A model that is reached over the network, by one of the interfaces that [`Api`](crate::Api) names.
///
/// What it has sent of a transcript it keeps in written form, so that the next request of the same
/// session writes only what is new. It sends a request once: trying again is up to the session.
pub struct RemoteModel {
    spec: Arc<ModelSpec>,
    info: ModelInfo,
    wire: &'static dyn Wire,
    keys: Arc<dyn KeySource>,
    transport: Transport,
    now_ms: fn() -> i64,
    cache_key: Option<Arc<str>>,
    blocks_images: AtomicBool,
    history: Mutex<History>,
    declared: Mutex<Option<Declared>>,
}

/// How an exchange ended.
enum End {
    Whole,
    Faulty(Fault),
    Cancelled,
}

/// What is asked, and who hears what comes.
#[derive(Clone, Copy)]
struct Asked<'a> {
    request: &'a ModelRequest,
    declared: &'a Declared,
    deltas: &'a mpsc::Sender<ModelDelta>,
    /// Who sees what is exchanged.
    seen: Option<&'a dyn ExchangeHooks>,
}

impl RemoteModel {
    /// Makes a model; nothing is opened before it is asked.
    ///
    /// Units: `now_ms` returns milliseconds since 1970.
    pub fn new(
        spec: ModelSpec,
        keys: Arc<dyn KeySource>,
        transport: Transport,
        now_ms: fn() -> i64,
    ) -> Self {
        let info = ModelInfo {
            api: spec.api.as_str().into(),
            provider: spec.provider.clone(),
            id: spec.id.clone(),
            takes_images: spec.takes_images,
            context_window: spec.context_window,
            max_output_tokens: spec.max_output_tokens,
        };
        Self {
            history: Mutex::new(History::new(Target::of(&spec, false))),
            wire: wire::of(spec.api),
            spec: Arc::new(spec),
            info,
            keys,
            transport,
            now_ms,
            cache_key: None,
            blocks_images: AtomicBool::new(false),
            declared: Mutex::new(None),
        }
    }

    /// Names what the provider may keep its cache of the transcript under: the same for all requests
    /// of a session, such as its id.
    #[must_use]
    pub fn with_cache_key(mut self, key: impl Into<Arc<str>>) -> Self {
        self.cache_key = Some(key.into());
        self
    }

    /// Sets whether pictures are kept from the model, from the next request on; text takes their place.
    pub fn set_blocks_images(&self, blocks_images: bool) {
        self.blocks_images.store(blocks_images, Ordering::Relaxed);
    }

    /// Returns what is known of the model.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Sends the request and reads the answer into `answer`.
    async fn exchange(&self, asked: Asked<'_>, answer: &mut Assembler) -> Result<(), Fault> {
        let fetched = self.keys.key().await;
        let key = fetched
            .map_err(|why| Fault::new(ErrorKind::Auth, why))?
            .filter(|key| !key.trim().is_empty());
        let talk = self.talk(asked, answer, key.as_deref());
        let outcome = talk.await;
        if outcome.is_ok() {
            answer.close_all();
        }
        answer.tell(asked.deltas).await;
        let secrets = || key.as_deref().into_iter().chain(self.spec.secrets());
        read_to_end(outcome.map_err(|fault| fault.without(secrets()))?).await;
        Ok(())
    }

    async fn talk(
        &self,
        asked: Asked<'_>,
        answer: &mut Assembler,
        key: Option<&str>,
    ) -> Result<Reply, Fault> {
        let headers = self.headers(key)?;
        let headers = self.seen_headers(asked, key, headers).await?;
        let body = self.body(asked.request, asked.declared);
        let body = self.seen_body(asked, body).await?;
        let outgoing = self.outgoing(headers, body)?;
        let address = shown_address(&outgoing.url);
        let mut reply = self.transport.send(outgoing).await?;
        seen::told_response(asked.seen, &reply).await;
        if !(200..300).contains(&reply.status()) {
            return Err(self.refusal(&mut reply, &address).await);
        }
        let reader = Reader {
            provider: &self.spec.provider,
            address: &address,
            deltas: asked.deltas,
        };
        let mut decoder = self.wire.decoder(&self.spec);
        reader.read(&mut reply, decoder.as_mut(), answer).await?;
        Ok(reply)
    }

    async fn refusal(&self, reply: &mut Reply, address: &str) -> Fault {
        let body = reply.start(MAX_REFUSAL_BYTES).await;
        let refusal = Refusal {
            provider: &self.spec.provider,
            model: &self.spec.id,
            address,
            key_hint: &self.keys.how_to_set(),
            status: reply.status(),
            location: reply.header("location"),
            retry_after_ms: retry_after_ms(reply, (self.now_ms)()),
            body: &body,
        };
        refusal.into_fault()
    }

    /// Makes the message that an exchange ended in.
    fn message(&self, request: &ModelRequest, mut answer: Assembler, end: End) -> AssistantMessage {
        let mut message = AssistantMessage::new(StopReason::Stop, (self.now_ms)());
        message.api = self.info.api.to_string();
        message.provider = self.info.provider.to_string();
        message.model = self.info.id.to_string();
        message.thinking_level = Some(request.thinking.to_string());
        message.stop_reason = match end {
            End::Whole => stop_reason(&answer),
            End::Cancelled => StopReason::Aborted,
            End::Faulty(fault) => {
                message.error_message = Some(fault.text);
                message.error_kind = Some(fault.kind);
                message.retry_after_ms = fault.retry_after_ms;
                StopReason::Error
            }
        };
        message.content = answer.take_content();
        message.usage = answer.costed_usage();
        message.response_id = answer.response_id;
        message.response_model = answer
            .response_model
            .filter(|model| *model != *self.spec.id);
        message.raw_stop_reason = answer.raw_stop_reason;
        message
    }
}

impl Model for RemoteModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.responding(request, None, deltas, cancel)
    }

    fn respond_seen<'a>(
        &'a self,
        request: &'a ModelRequest,
        seen: &'a dyn ExchangeHooks,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.responding(request, Some(seen), deltas, cancel)
    }
}

impl RemoteModel {
    fn responding<'a>(
        &'a self,
        request: &'a ModelRequest,
        seen: Option<&'a dyn ExchangeHooks>,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            let begun = Instant::now();
            let declared = match self.declared(request) {
                Ok(declared) => declared,
                Err(fault) => {
                    let answer = Assembler::new(self.spec.clone(), Arc::default());
                    return self.message(request, answer, End::Faulty(fault));
                }
            };
            let mut answer = Assembler::new(self.spec.clone(), declared.names.clone());
            let asked = Asked {
                request,
                declared: &declared,
                deltas: &deltas,
                seen,
            };
            // Dropping the exchange closes the connection, or ends the attempt to make one, or the
            // wait for the key: nothing of it goes on.
            let end = tokio::select! {
                biased;
                () = cancel.cancelled() => End::Cancelled,
                outcome = self.exchange(asked, &mut answer) => match outcome {
                    Ok(()) => End::Whole,
                    Err(fault) => End::Faulty(fault),
                },
            };
            let mut message = self.message(request, answer, end);
            message.provider_thinking_level = self.thinking_sent(request);
            message.duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
            message
        })
    }
}

impl fmt::Debug for RemoteModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteModel")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

/// Returns why a whole answer stopped: a call says so more surely than what servers call the reason.
fn stop_reason(answer: &Assembler) -> StopReason {
    match (&answer.stop, answer.has_calls()) {
        (None | Some(StopReason::Stop), true) => StopReason::ToolUse,
        (None | Some(StopReason::ToolUse), false) => StopReason::Stop,
        (Some(reason), _) => reason.clone(),
    }
}
