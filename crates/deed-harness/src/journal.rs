//! The record of a session: its messages, and its calls before they run.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{BarrierSink, BoxFuture, FrozenCall, Redactor};
use deed_protocol::{
    ContentBlock, CustomMessage, Event, EventBody, Message, ToolCall, UserContent,
};
use deed_session::{
    CallState, EntryId, NewCustomMessage, OpenCall, Recovery, Session, SessionError, StartedCall,
};
use serde_json::value::RawValue;

/// Writes a session down while it goes on.
pub(crate) struct Journal {
    /// Until the session is closed.
    session: Mutex<Option<Session>>,
    redactor: Arc<dyn Redactor>,
    state: Mutex<Written>,
}

/// What was written last.
#[derive(Default)]
struct Written {
    last_answer: Option<EntryId>,
    /// Ids of the calls of that answer that have no result yet.
    open_calls: Vec<Arc<str>>,
    /// Ids of those that were on record as started when the session was opened.
    started_before: Vec<Arc<str>>,
    /// The active tools as they stand in the record.
    active_tools: Option<Vec<Arc<str>>>,
}

impl Written {
    /// Tells whether the start of a call is not on record yet, but belongs there.
    fn is_news(&mut self, call_id: &Arc<str>) -> bool {
        if let Some(at) = self.started_before.iter().position(|id| id == call_id) {
            self.started_before.remove(at);
            return false;
        }
        self.open_calls.contains(call_id)
    }
}

impl Journal {
    pub(crate) fn new(session: Session, redactor: Arc<dyn Redactor>) -> Self {
        Self {
            session: Mutex::new(Some(session)),
            redactor,
            state: Mutex::default(),
        }
    }

    /// Does something with the record; `None` once the session is closed.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Option<T> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.as_mut().map(act)
    }

    /// Takes known secrets out of something that is to be written.
    pub(crate) fn redact(&self, value: &mut serde_json::Value) {
        self.redactor.redact_value(value);
    }

    /// Lets go of the file, so that others may open it.
    pub(crate) fn close(&self) {
        self.session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    /// As [`Journal::with`], for what writes: a closed session takes nothing more.
    fn write<T>(
        &self,
        act: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<Option<T>, SessionError> {
        self.with(act).transpose()
    }

    fn state(&self) -> MutexGuard<'_, Written> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which calls of the last answer wait for a result although the session was just opened.
    pub(crate) fn waits_for(&self, recovery: &Recovery) {
        let id = |open: &OpenCall| open.call.id.clone();
        let started = |open: &&OpenCall| open.state != CallState::NeverStarted;
        let mut state = self.state();
        state.open_calls = recovery.calls.iter().map(id).collect();
        state.started_before = recovery.calls.iter().filter(started).map(id).collect();
    }

    /// Writes a message of the transcript down; results of calls that it does not have are not of it.
    pub(crate) fn append(&self, message: &Arc<Message>) -> Result<(), SessionError> {
        if let Some(result) = message.as_tool_result() {
            let mut state = self.state();
            let open = &mut state.open_calls;
            match open.iter().position(|id| *id == result.tool_call_id) {
                Some(at) => open.remove(at),
                None => return Ok(()),
            };
        }
        if let Message::Custom(custom) = &**message {
            let new = self.custom(custom);
            return self
                .write(|session| session.append_custom_message(new))
                .map(drop);
        }
        let cleaned = self.clean(message);
        let Some(id) = self.write(|session| session.append_message(cleaned))? else {
            return Ok(());
        };
        if let Some(answer) = message.as_assistant() {
            let mut state = self.state();
            state.last_answer = Some(id);
            state.open_calls = answer.tool_calls().map(|call| call.id.clone()).collect();
        }
        Ok(())
    }

    /// Writes down that calls are about to run.
    ///
    /// Errors: it cannot be written; then none may run.
    pub(crate) fn started(&self, calls: &[Arc<FrozenCall>]) -> Result<(), SessionError> {
        let started: Vec<StartedCall> = {
            let mut state = self.state();
            let news = calls.iter().filter(|call| state.is_news(&call.call().id));
            news.map(|call| StartedCall {
                tool_call_id: call.call().id.clone(),
                call_index: None,
                args_sha256: call.args_sha256().to_string(),
            })
            .collect()
        };
        if started.is_empty() {
            return Ok(());
        }
        self.write(|session| session.append_started(&started))
            .map(drop)
    }

    /// Leaves the last answer out of what goes on; it stays in the record.
    ///
    /// Shape: the entry that says so.
    pub(crate) fn omit_last_answer(&self) -> Result<Option<Box<RawValue>>, SessionError> {
        let Some(answer) = self.state().last_answer.take() else {
            return Ok(None);
        };
        self.write(|session| {
            let id = session.append_context_edit(&answer, None)?;
            session.view().raw_entry(&id)
        })
    }

    /// Writes down which tools are active, if that is news.
    pub(crate) fn active_tools(&self, names: &[Arc<str>]) -> Result<(), SessionError> {
        let mut state = self.state();
        if state.active_tools.as_deref() == Some(names) {
            return Ok(());
        }
        let is_first = state.active_tools.replace(names.to_vec()).is_none();
        drop(state);
        if is_first {
            // A session begins with what options and settings say, and resumes so.
            return Ok(());
        }
        self.write(|session| session.append_active_tools(names))
            .map(drop)
    }

    /// Takes known secrets out: what a person or a model wrote may hold one.
    fn clean(&self, message: &Arc<Message>) -> Arc<Message> {
        // Results have been cleaned on their way here.
        if message.as_tool_result().is_some() || self.redactor.stream().is_none() {
            return message.clone();
        }
        let mut cleaned = Message::clone(message);
        let changed = match &mut cleaned {
            Message::User(user) => self.clean_content(&mut user.content),
            Message::Assistant(answer) => self.clean_blocks(&mut answer.content),
            Message::BashExecution(ran) => {
                self.clean_text(&mut ran.command) | self.clean_text(&mut ran.output)
            }
            _ => false,
        };
        if changed {
            Arc::new(cleaned)
        } else {
            message.clone()
        }
    }

    fn custom(&self, message: &CustomMessage) -> NewCustomMessage {
        let mut content = message.content.clone();
        self.clean_content(&mut content);
        NewCustomMessage {
            custom_type: message.custom_type.clone(),
            content,
            display: message.display,
            details: message.details.clone(),
        }
    }

    fn clean_content(&self, content: &mut UserContent) -> bool {
        match content {
            UserContent::Text(text) => self.clean_text(text),
            UserContent::Blocks(blocks) => self.clean_blocks(blocks),
        }
    }

    fn clean_blocks(&self, blocks: &mut [ContentBlock]) -> bool {
        let mut changed = false;
        for block in blocks {
            changed |= match block {
                ContentBlock::Text(text) => self.clean_text(&mut text.text),
                ContentBlock::ToolCall(call) => self.clean_call(call),
                // A thought goes back to its model to the letter, or not at all.
                _ => false,
            };
        }
        changed
    }

    fn clean_call(&self, call: &mut ToolCall) -> bool {
        let mut text = call.arguments.get().to_owned();
        if !self.clean_text(&mut text) {
            return false;
        }
        // A mark has no sign that JSON would have to escape, so this does not fail.
        if let Ok(arguments) = RawValue::from_string(text) {
            call.arguments = arguments.into();
        }
        true
    }

    fn clean_text(&self, text: &mut String) -> bool {
        let Some(mut stream) = self.redactor.stream() else {
            return false;
        };
        let mut clean = match stream.push(text.as_bytes()) {
            Cow::Borrowed(bytes) => bytes.to_vec(),
            Cow::Owned(bytes) => bytes,
        };
        clean.extend(stream.finish());
        if clean == text.as_bytes() {
            return false;
        }
        *text = String::from_utf8_lossy(&clean).into_owned();
        true
    }
}

/// Writes every whole message down before anybody behind hears of it.
pub(crate) struct JournalSink(pub(crate) Arc<Journal>);

impl BarrierSink for JournalSink {
    fn name(&self) -> &str {
        "the session file"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let written = match &event.body {
            EventBody::MessageEnd { message } => self.0.append(message),
            _ => Ok(()),
        };
        Box::pin(async move { written.map_err(|error| error.to_string()) })
    }
}
