//! Recording that calls are about to run.

use std::sync::Arc;

use deed_protocol::{CustomEntry, Entry, Extra};
use serde_json::value::to_raw_value;

use super::Session;
use crate::context::{started_indices, waits};
use crate::error::SessionError;
use crate::index::{Kind, Role};
use crate::own::{STARTED, StartedCall, StartedNote};
use crate::tree::EntryId;

/// The calls of the last answer of a branch.
#[derive(Clone, Debug)]
pub(super) struct CallTail {
    message_entry: Option<EntryId>,
    calls: Vec<TailCall>,
}

#[derive(Clone, Debug)]
struct TailCall {
    id: Arc<str>,
    is_started: bool,
}

impl CallTail {
    fn none() -> Self {
        Self {
            message_entry: None,
            calls: Vec::new(),
        }
    }

    /// Finds a call and takes it as started.
    fn start(&mut self, started: &StartedCall) -> Option<usize> {
        let index = match started.call_index {
            Some(index) => index,
            None => {
                let is_it = |it: &TailCall| !it.is_started && it.id == started.tool_call_id;
                self.calls.iter().position(is_it)?
            }
        };
        let call = self.calls.get_mut(index)?;
        call.is_started = true;
        (call.id == started.tool_call_id).then_some(index)
    }
}

impl Session {
    /// Appends, in one write, that calls of the last answer are about to run: from then on each
    /// without a result is one whose outcome is unknown.
    ///
    /// Errors: the last answer has no such call, or the file cannot be written; then none may run.
    pub fn append_started(&mut self, calls: &[StartedCall]) -> Result<Vec<EntryId>, SessionError> {
        let mut tail = match self.calls.take() {
            Some(tail) => tail,
            None => self.find_calls()?,
        };
        let mut data = Vec::with_capacity(calls.len());
        for started in calls {
            let found = tail.start(started).zip(tail.message_entry.clone());
            let Some((call_index, message_entry_id)) = found else {
                let tool_call_id = started.tool_call_id.to_string();
                return Err(SessionError::UnknownCall { tool_call_id });
            };
            data.push(to_raw_value(&StartedNote {
                tool_call_id: started.tool_call_id.clone(),
                call_index,
                message_entry_id,
                args_sha256: started.args_sha256.clone(),
            })?);
        }
        let makes = data.into_iter().map(|data| {
            |base| {
                Entry::Custom(CustomEntry {
                    base,
                    custom_type: STARTED.to_owned(),
                    data: Some(data),
                    extra: Extra::new(),
                })
            }
        });
        let ids = self.add_all(makes.collect())?;
        self.calls = Some(tail);
        Ok(ids)
    }

    /// Keeps the calls at hand of an answer that is appended.
    pub(super) fn follow_calls(&mut self, entry: &Entry) {
        if let Entry::Message(entry) = entry
            && let Some(answer) = entry.message.as_assistant()
        {
            let calls = answer.tool_calls().filter(|_| waits(answer));
            self.calls = Some(CallTail {
                message_entry: Some(entry.base.id.clone()),
                calls: calls
                    .map(|call| TailCall {
                        id: call.id.clone(),
                        is_started: false,
                    })
                    .collect(),
            });
        }
    }

    /// Looks the calls of the last answer up.
    fn find_calls(&mut self) -> Result<CallTail, SessionError> {
        let branch = self.tree.index.branch(self.tree.leaf);
        let mut slots = branch
            .iter()
            .rev()
            .filter_map(|number| self.tree.index.get(*number));
        let Some(slot) = slots.find(|slot| slot.kind == Kind::Message(Role::Assistant)) else {
            return Ok(CallTail::none());
        };
        let id = slot.id.clone();
        let started = started_indices(&self.tree, &id)?;
        let entry = self.tree.entry(&id)?;
        self.follow_calls(&entry);
        let mut tail = self.calls.take().unwrap_or_else(CallTail::none);
        for index in started {
            if let Some(call) = tail.calls.get_mut(index) {
                call.is_started = true;
            }
        }
        Ok(tail)
    }
}
