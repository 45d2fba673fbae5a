//! What of a branch goes to a model.

use std::sync::Arc;

use deed_protocol::{CompactionEntry, Message, ToolCall};

use crate::diagnostic::Diagnostic;
use crate::error::SessionError;
use crate::index::SlotNumber;
use crate::tree::{EntryId, SessionTree};

mod choices;
mod edits;
mod pairing;
mod pieces;
mod started;

pub(crate) use edits::{blocks_of, is_editable};
pub(crate) use pairing::{finding_of, note_of, waits};
pub(crate) use started::{started_elsewhere, started_indices};

/// What of a branch goes to a model, and what the branch says of model and tools.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The messages in order.
    ///
    /// Shape: each call has exactly one result, right behind the answer that asks for it and in the
    /// order of the calls; but for those that [`Context::recovery`] names, and for those of an
    /// answer that failed or was cancelled, which never run and which providers leave out.
    pub entries: Vec<ContextMessage>,
    /// The model that was chosen or that answered last.
    pub model: Option<ModelChoice>,
    /// The thinking level that was chosen last.
    pub thinking_level: Option<String>,
    /// The tools that were made active.
    pub tools: ToolNames,
    /// The calls at the end that wait for a result.
    pub recovery: Option<Recovery>,
    /// What was made to fit; the entries themselves stay as they are.
    pub repairs: Vec<Repair>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
    /// The summary that stands for what came before.
    pub compaction: Option<Arc<CompactionEntry>>,
    /// From which message on the usage that answers report is that of this context: before it,
    /// something was summarised or edited later.
    pub usage_counts_from: usize,
}

impl Context {
    /// The messages alone.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        let entries = self.entries.iter();
        entries.map(|entry| entry.message.clone()).collect()
    }
}

/// A message of the context.
#[derive(Clone, Debug)]
pub struct ContextMessage {
    /// The entry that it comes from; `None` if it was made up.
    pub entry: Option<EntryId>,
    /// The message.
    pub message: Arc<Message>,
}

/// A model, by who runs it and by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// Who runs it.
    pub provider: String,
    /// Its name.
    pub model_id: String,
}

/// The tools that a branch made active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolNames {
    /// The active set as it was last recorded whole.
    pub set: Option<Vec<Arc<str>>>,
    /// What calls have added since.
    pub added: Vec<Arc<str>>,
}

/// Calls that wait for a result.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// The entry with the answer that asks for them.
    pub message_entry: EntryId,
    /// The calls, in order.
    pub calls: Vec<OpenCall>,
}

/// A call that waits for a result.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// Which call of the answer it is, from 0.
    pub call_index: usize,
    /// The call.
    pub call: ToolCall,
    /// How far it got.
    pub state: CallState,
}

/// How far a call got of which there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallState {
    /// It did not begin.
    NeverStarted,
    /// It began; whether it had its effect is not known.
    OutcomeUnknown {
        /// The hash of the arguments it ran with.
        args_sha256: String,
    },
}

/// Something of a history that was made to fit in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What.
    pub kind: RepairKind,
    /// Whether the session has it on record.
    pub is_noted: bool,
}

/// What was made to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairKind {
    /// A call without a result got one.
    OrphanCall {
        /// The entry with the calls.
        message_entry: EntryId,
        /// Which of its calls, from 0.
        call_index: usize,
        /// The id of the call.
        tool_call_id: Arc<str>,
        /// How far it got.
        state: CallState,
    },
    /// A result without a call was left out.
    OrphanResult {
        /// The entry with the result.
        entry: EntryId,
        /// The call that it answers.
        tool_call_id: Arc<str>,
    },
}

/// Builds the context of the branch that ends at an entry.
pub(crate) fn build(tree: &SessionTree, leaf: Option<SlotNumber>) -> Result<Context, SessionError> {
    let branch = tree.index.branch(leaf);
    let mut context = Context::default();
    choices::read(tree, &branch, &mut context)?;
    let pieces = pieces::read(tree, &branch, &mut context)?;
    pairing::pair(tree, pieces, &mut context)?;
    pairing::mark_noted(tree, &branch, &mut context)?;
    let findings = context
        .repairs
        .iter()
        .map(|repair| finding_of(&repair.kind));
    let told: Vec<_> = findings.map(|what| tree.finding(None, what)).collect();
    context.diagnostics.extend(told);
    Ok(context)
}
