//! The agent core: what a tool is, how a batch of calls runs, and how turns follow one another.
//!
//! The core touches no file, process, terminal, time zone or environment variable. It builds on
//! tokio's `sync`, `time` and `rt`, and on nothing else of the outside world. Everything that is a
//! matter of product or policy is behind a seam: [`AgentHooks`], [`Gate`], [`Normalise`],
//! [`Model`], [`Redactor`] and the consumers of the [`EventBus`].
//!
//! Two rules are types. [`deed_schema::ValidatedArgs`] are made by validation alone, and an
//! [`AuthorizedCall`] is made by the [`BatchRunner`] alone, from a frozen call and the [`Grant`]
//! that the gate's `commit` returned for it. There is no other way to run a tool.
//!
//! Start reading at [`BatchRunner::run`] for the life of a call and at [`Agent`] for the loop.

mod agent;
mod batch;
mod bus;
mod caught;
mod error;
mod exchange;
mod gate;
mod grace;
mod hooks;
mod model;
mod normalise;
mod plan;
mod queue;
mod redact;
mod seams;
mod stage;
mod tool;
mod turn;
mod typed;
mod update;

use std::future::Future;
use std::pin::Pin;

pub use agent::{Agent, RunEnd, WeakAgent};
pub use batch::{Batch, BatchOutcome, BatchRunner};
pub use bus::{BarrierSink, EventBus, Observer, SinkError, WeakEventBus};
pub use caught::Caught;
pub use error::{AgentError, ToolError};
pub use exchange::{ExchangeHooks, HeaderField};
pub use gate::{
    AllowAll, Allowed, Answer, Approval, Authority, CallOutcome, Committed, EarlyEnd, Gate,
    OutcomeKind, Question, Refusal, TurnedAway, Verdict,
};
pub use hooks::{
    AgentHooks, BeforeToolCall, HookedCall, NoHooks, ResultPatch, ToolHook, TurnEnding, TurnPlan,
};
pub use model::{Model, ModelDelta, ModelInfo, ModelRequest};
pub use normalise::{AsIs, Normalise};
pub use plan::{Access, Classification, EffectPlan, FrozenContext};
pub use queue::{DrainMode, MessageQueue};
pub use redact::{KeepAll, RedactStream, Redactor};
pub use seams::{Limits, Seams};
pub use stage::{ArgsChange, AuthorizedCall, FrozenCall, Grant, GrantState, RunningCall};
pub use tool::{
    AgentTool, CallContext, ConstrainedSampling, ExecutionMode, Replay, Strictness, ToolSet,
    ToolSpec,
};
pub use turn::TurnInputs;
pub use typed::{Typed, TypedTool};
pub use update::UpdateSink;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
