use std::sync::Arc;
use std::sync::atomic::Ordering;

use deed_extensions::Navigated;
use deed_protocol::Message;
use deed_session::{Session, SessionError};

use crate::AgentSession;

/// Why a session stays where it is.
#[derive(Debug, thiserror::Error)]
pub enum NavigateError {
    /// Something is under way.
    #[error("a run is under way; wait for its end, or abort it first")]
    Busy,
    /// There is nothing to go to.
    #[error("this session keeps no record")]
    NoRecord,
    /// There is no such entry, or the record cannot be read.
    #[error(transparent)]
    Record(#[from] SessionError),
}

impl AgentSession {
    /// Goes to another place in the tree of the session: what was said since leaves the transcript
    /// and stays in the record. At a message of a person, to before it, so that it can be sent anew.
    ///
    /// Errors: as [`NavigateError`]; the session is where it was.
    pub async fn navigate(&self, entry_id: &str) -> Result<Navigated, NavigateError> {
        let _prompting = self.begin_prompt().ok_or(NavigateError::Busy)?;
        let moved = self.on_record(|record| moved(record, entry_id));
        let (messages, counts_from, editor_text) = moved.ok_or(NavigateError::NoRecord)??;
        self.source
            .compactor
            .usage_counts_from
            .store(counts_from, Ordering::Release);
        // The prompt is held, so no run is under way.
        self.agent.set_messages(messages).ok();
        Ok(Navigated { editor_text })
    }
}

type Moved = (Vec<Arc<Message>>, usize, Option<String>);

fn moved(record: &mut Session, entry_id: &str) -> Result<Moved, SessionError> {
    let texts = record.view().user_texts()?;
    let said = texts.into_iter().find(|(id, _)| **id == *entry_id);
    let editor_text = said.map(|(_, text)| text);
    let target = match editor_text {
        Some(_) => record.view().parent(entry_id)?.cloned(),
        None => Some(entry_id.into()),
    };
    let before = record.leaf().cloned();
    record.move_to(target.as_deref())?;
    let context = record.context().inspect_err(|_| {
        // It was there a moment ago.
        record.move_to(before.as_deref()).ok();
    })?;
    Ok((context.messages(), context.usage_counts_from, editor_text))
}
