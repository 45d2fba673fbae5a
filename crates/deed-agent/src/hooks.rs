use std::sync::{Arc, Mutex, PoisonError};

use deed_protocol::{ContentBlock, Message, ToolCall, ToolResult, Usage};
use deed_schema::{RawArgs, Sha256Hash, ValidatedArgs, canonical_json};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, ExchangeHooks, ModelRequest, RunEnd, TurnInputs};

/// Where a product takes part in the loop.
///
/// All methods have a default that does nothing. The loop awaits each; none may wait for the run
/// to end. One that panics ends the run with an error.
pub trait AgentHooks: Send + Sync + 'static {
    /// Returns the chain that sees tool calls and their results, in order.
    ///
    /// A link that has nothing to do for an event should not be in the list.
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        Vec::new()
    }

    /// May put another message of the same role in the place of a finished one, before it is
    /// stored.
    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        let _ = message;
        Box::pin(async { None })
    }

    /// May change what of the transcript goes into the next request.
    fn context<'a>(
        &'a self,
        messages: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<Vec<Arc<Message>>>> {
        let _ = messages;
        Box::pin(async { None })
    }

    /// Called before every turn but the first: may give other tools, another prompt or model, or
    /// a shorter transcript.
    fn next_turn<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, TurnPlan> {
        let _ = messages;
        Box::pin(async { TurnPlan::default() })
    }

    /// May change a request before it is sent.
    fn prepare_request<'a>(&'a self, request: &'a mut ModelRequest) -> BoxFuture<'a, ()> {
        let _ = request;
        Box::pin(async {})
    }

    /// Returns what is to see the exchange of the next request with whoever runs the model.
    fn exchange(&self) -> Option<Arc<dyn ExchangeHooks>> {
        None
    }

    /// Called after every turn, before its end is announced: may end the run.
    fn finish_turn<'a>(&'a self, turn: &'a TurnEnding) -> BoxFuture<'a, bool> {
        let _ = turn;
        Box::pin(async { true })
    }

    /// Tells, before the end of a run is announced, whether the product starts it again by itself.
    fn will_retry<'a>(&'a self, end: &'a RunEnd) -> BoxFuture<'a, bool> {
        let _ = end;
        Box::pin(async { false })
    }
}

/// What changes from the next turn on.
#[derive(Clone, Debug, Default)]
pub struct TurnPlan {
    /// Other tools, prompt or model.
    pub inputs: Option<TurnInputs>,
    /// Another transcript, such as a compacted one.
    pub messages: Option<Vec<Arc<Message>>>,
}

/// A turn that has just ended.
#[derive(Clone, Debug)]
pub struct TurnEnding {
    /// The model's answer.
    pub message: Arc<Message>,
    /// The results of its calls, in call order.
    pub tool_results: Vec<Arc<Message>>,
    /// Counts from 0 within the run.
    pub index: usize,
}

/// One link of the chain that sees tool calls and their results: an extension, or the product.
pub trait ToolHook: Send + Sync + 'static {
    /// Returns its name, for faults.
    fn name(&self) -> &str;

    /// Sees a valid call before it is decided on.
    ///
    /// Arguments that it gives are validated again before the next link sees them. It can say no
    /// more than "no objection": [`BeforeToolCall::Continue`] skips no rule. One that panics blocks.
    ///
    /// Cancellation: what goes on five seconds later (setting) is dropped.
    fn before_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        let _ = (call, cancel);
        Box::pin(async { BeforeToolCall::Continue })
    }

    /// Sees the result of a call that ran, as the link before left it.
    ///
    /// Errors: the text becomes the error result of the call.
    ///
    /// Cancellation: what goes on five seconds later (setting) is dropped, and the result is not
    /// shown.
    fn after_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        result: &'a ToolResult,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ResultPatch, String>> {
        let _ = (call, result, cancel);
        Box::pin(async { Ok(ResultPatch::default()) })
    }
}

/// A call as a hook sees it.
#[derive(Clone, Debug)]
pub struct HookedCall {
    /// The assistant message that has the call.
    pub assistant: Arc<Message>,
    /// The call as the model wrote it.
    pub call: Arc<ToolCall>,
    /// The arguments as they stand now.
    pub args: ValidatedArgs,
    pub(crate) confirmations: Confirmations,
}

impl HookedCall {
    /// Notes that a person said yes to these arguments while `hook` had the call.
    ///
    /// If the arguments that are to run in the end are others, the call is not run.
    pub fn note_confirmed(&self, hook: &str, args: &Value) {
        let hash = Sha256Hash::of(&canonical_json(args));
        let mut noted = self.confirmations.lock();
        noted.push((hook.into(), hash));
    }
}

/// What persons said yes to while hooks had a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Confirmations(Arc<Mutex<Vec<Confirmed>>>);

/// A hook, and the hash of the arguments that a person said yes to.
type Confirmed = (Arc<str>, Sha256Hash);

impl Confirmations {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Confirmed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the hook that had a yes to other arguments than these.
    pub(crate) fn contradicting(&self, args: &ValidatedArgs) -> Option<Arc<str>> {
        let noted = self.lock();
        if noted.is_empty() {
            return None;
        }
        let hash = args.sha256();
        let contradicts = |(_, confirmed): &&Confirmed| *confirmed != hash;
        noted.iter().find(contradicts).map(|(hook, _)| hook.clone())
    }
}

/// What a hook says before a call.
#[derive(Clone, Debug)]
pub enum BeforeToolCall {
    /// No objection.
    Continue,
    /// Run with these arguments instead.
    Replace(RawArgs),
    /// Do not run.
    Block {
        /// Why, for the model; without it a plain sentence.
        reason: Option<String>,
        /// Whether the run may end after this batch.
        terminate: bool,
    },
}

/// What a hook changes of a result: whole fields, no deep merge; `None` leaves a field alone.
#[derive(Clone, Debug, Default)]
pub struct ResultPatch {
    /// Another content.
    pub content: Option<Vec<ContentBlock>>,
    /// Other details.
    pub details: Option<Value>,
    /// Failed or not.
    pub is_error: Option<bool>,
    /// Another usage.
    pub usage: Option<Usage>,
    /// End the run or not.
    pub terminate: Option<bool>,
}

impl ResultPatch {
    /// Puts the given fields into a result.
    pub fn apply(self, result: &mut ToolResult) {
        if let Some(content) = self.content {
            result.content = content;
        }
        if let Some(details) = self.details {
            result.details = Some(details);
        }
        if let Some(is_error) = self.is_error {
            result.is_error = is_error;
        }
        if let Some(usage) = self.usage {
            result.usage = Some(usage);
        }
        if let Some(terminate) = self.terminate {
            result.terminate = terminate;
        }
    }
}

/// Takes no part.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl AgentHooks for NoHooks {}
