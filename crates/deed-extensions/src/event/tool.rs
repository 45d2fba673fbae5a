use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::ResultPatch;
use deed_protocol::{ContentBlock, ToolResult, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ExtensionEvent, told};

/// A valid call is about to be decided on.
///
/// Every handler is a guard: one that fails, panics or takes more than its own time blocks the call.
#[derive(Clone, Debug)]
pub struct ToolCallEvent {
    /// The tool it names.
    pub tool_name: Arc<str>,
    /// The call.
    pub tool_call_id: Arc<str>,
    pub(crate) input: InputCell,
}

impl ToolCallEvent {
    /// Returns the arguments as they stand.
    pub fn input(&self) -> Arc<Value> {
        self.input.get()
    }

    /// Puts other arguments in their place.
    ///
    /// They are validated again before another extension sees them.
    pub fn set_input(&self, input: Value) {
        *self.input.lock() = Arc::new(input);
    }

    /// Changes the arguments in place, which counts as much as replacing them.
    pub fn edit_input(&self, edit: impl FnOnce(&mut Value)) {
        edit(Arc::make_mut(&mut self.input.lock()));
    }
}

impl ExtensionEvent for ToolCallEvent {
    const NAME: &'static str = "tool_call";
    type Reply = ToolCallReply;
}

/// What a guard says of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolCallReply {
    /// Nothing against it. No rule is skipped by that.
    #[default]
    NoObjection,
    /// It must not run, and no further handler is asked.
    Block {
        /// Why, for the model; without it a plain sentence.
        reason: Option<String>,
        /// Whether the run may end after this batch.
        terminate: bool,
    },
}

impl ToolCallReply {
    /// Blocks, and lets the run go on.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block {
            reason: Some(reason.into()),
            terminate: false,
        }
    }
}

/// Arguments that a handler changes while its context looks at them: a person confirms what stands
/// there at that moment.
#[derive(Clone, Debug)]
pub(crate) struct InputCell(Arc<Mutex<Arc<Value>>>);

impl InputCell {
    pub(crate) fn new(input: Arc<Value>) -> Self {
        Self(Arc::new(Mutex::new(input)))
    }

    pub(crate) fn get(&self) -> Arc<Value> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that ran has a result.
///
/// What is changed in place counts as much as the reply. It is not told of calls that did not run.
#[derive(Clone, Debug)]
pub struct ToolResultEvent {
    /// The tool it names.
    pub tool_name: Arc<str>,
    /// The call.
    pub tool_call_id: Arc<str>,
    /// The arguments it ran with.
    pub input: Arc<Value>,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// What people and programs see.
    pub details: Option<Value>,
    /// Whether it failed.
    pub is_error: bool,
    /// What model calls inside the tool used.
    pub usage: Option<Usage>,
    /// Whether the run may end after this batch.
    pub terminate: bool,
}

impl ToolResultEvent {
    /// Puts the given fields into the result.
    pub(crate) fn apply(&mut self, patch: ResultPatch) {
        let mut result = ToolResult {
            content: std::mem::take(&mut self.content),
            details: self.details.take(),
            usage: self.usage.take(),
            terminate: self.terminate,
            is_error: self.is_error,
            added_tool_names: Vec::new(),
        };
        patch.apply(&mut result);
        self.content = result.content;
        self.details = result.details;
        self.usage = result.usage;
        self.terminate = result.terminate;
        self.is_error = result.is_error;
    }

    /// Returns what there is now, as a patch of what there was.
    pub(crate) fn into_patch(self, before: &ToolResult) -> ResultPatch {
        // A patch cannot take a field away.
        let taken_away = before.details.as_ref().map(|_| Value::Null);
        ResultPatch {
            content: Some(self.content),
            details: self.details.or(taken_away),
            is_error: Some(self.is_error),
            usage: self.usage,
            terminate: Some(self.terminate),
        }
    }
}

impl ExtensionEvent for ToolResultEvent {
    const NAME: &'static str = "tool_result";
    type Reply = ResultPatch;
}

/// A call was taken up.
#[derive(Clone, Debug)]
pub struct ToolExecutionStartEvent {
    /// The call.
    pub tool_call_id: Arc<str>,
    /// The tool it names.
    pub tool_name: Arc<str>,
    /// The arguments as the model wrote them.
    pub args: Arc<RawValue>,
}

/// A running call has something to show.
#[derive(Clone, Debug)]
pub struct ToolExecutionUpdateEvent {
    /// The call.
    pub tool_call_id: Arc<str>,
    /// The tool it names.
    pub tool_name: Arc<str>,
    /// The arguments as the model wrote them.
    pub args: Arc<RawValue>,
    /// All there is so far.
    pub partial_result: Arc<ToolResult>,
}

/// A call ended, whether it ran or not.
#[derive(Clone, Debug)]
pub struct ToolExecutionEndEvent {
    /// The call.
    pub tool_call_id: Arc<str>,
    /// The tool it names.
    pub tool_name: Arc<str>,
    /// What came of it.
    pub result: Arc<ToolResult>,
    /// Whether it failed.
    pub is_error: bool,
}

told! {
    ToolExecutionStartEvent = "tool_execution_start",
    ToolExecutionUpdateEvent = "tool_execution_update",
    ToolExecutionEndEvent = "tool_execution_end",
}
