//! From a record to a session, and from a session to its record.

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::Redactor;
use deed_protocol::{EventBody, Message};
use deed_session::{Context, Recovery, Session, SessionError, ToolNames};
use deed_tooling::{ActiveChange, ToolRegistry};
use serde::Serialize;

use crate::AgentSession;
use crate::journal::Journal;
use crate::model_slot::ChosenModel;
use crate::session::TurnSource;

/// What a record gives to a session that goes on from it.
pub(crate) struct Opened {
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) usage_counts_from: usize,
}

impl Opened {
    /// Reads a record; what it says of active tools holds from now on.
    pub(crate) fn of(
        record: Option<Session>,
        messages: Vec<Arc<Message>>,
        registry: &ToolRegistry,
        (redactor, chosen): (Arc<dyn Redactor>, &ChosenModel),
    ) -> Result<Self, SessionError> {
        let Some(mut session) = record else {
            return Ok(Self {
                journal: None,
                messages,
                recovery: None,
                usage_counts_from: 0,
            });
        };
        let context = session.context()?;
        activate(registry, &context.tools);
        note_model(&mut session, &context, chosen)?;
        let journal = Journal::new(session, redactor);
        if let Some(recovery) = &context.recovery {
            journal.waits_for(recovery);
        }
        journal.active_tools(&registry.active_names())?;
        let mut all = context.messages();
        all.extend(messages);
        Ok(Self {
            journal: Some(Arc::new(journal)),
            messages: all,
            recovery: context.recovery,
            usage_counts_from: context.usage_counts_from,
        })
    }
}

/// Puts on record which model answers from here on, if that is news.
fn note_model(
    session: &mut Session,
    context: &Context,
    chosen: &ChosenModel,
) -> Result<(), SessionError> {
    let info = chosen.model.info();
    let known = context.model.as_ref();
    let is_known =
        known.is_some_and(|known| *known.provider == *info.provider && *known.model_id == *info.id);
    if !is_known && !info.id.is_empty() {
        session.append_model_change(&info.provider, &info.id)?;
    }
    let level = chosen.thinking.as_str();
    if context.thinking_level.as_deref().unwrap_or("off") != level {
        session.append_thinking_level(level)?;
    }
    Ok(())
}

fn activate(registry: &ToolRegistry, tools: &ToolNames) {
    if let Some(names) = &tools.set {
        registry.change_active_tools(&ActiveChange::Set(names.clone()));
    }
    if !tools.added.is_empty() {
        registry.change_active_tools(&ActiveChange::Add(tools.added.clone()));
    }
}

impl TurnSource {
    /// Puts a changed active set on record; what cannot be written shows with the next message.
    pub(crate) fn record_active_tools(&self) {
        if let Some(journal) = &self.journal {
            journal.active_tools(&self.registry.active_names()).ok();
        }
    }
}

/// The record of a session, where there is one.
impl AgentSession {
    /// Returns the id of the session in its record.
    pub fn session_id(&self) -> Option<Arc<str>> {
        self.on_record(|session| session.id().into())
    }

    /// Returns the file of the record, also while it waits for the first message to be made.
    pub fn session_file(&self) -> Option<PathBuf> {
        self.on_record(|session| session.path().map(ToOwned::to_owned))
            .flatten()
    }

    /// Returns the name that a person gave the session.
    pub fn session_name(&self) -> Option<Arc<str>> {
        self.on_record(|session| session.view().name().map(Into::into))
            .flatten()
    }

    /// Looks into the record, or does something with it; `None` if the session keeps none or is closed.
    ///
    /// Nobody else gets at it meanwhile, so this must be short.
    pub fn on_record<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.source.journal.as_ref()?.with(act)
    }

    /// Gives the session a name; an empty one takes it away.
    ///
    /// Errors: the record cannot be written.
    pub async fn set_session_name(&self, name: &str) -> Result<(), SessionError> {
        if let Some(named) = self.on_record(|session| session.append_name(name)) {
            named?;
        }
        let event = EventBody::SessionInfoChanged {
            name: self.session_name().map(|name| name.to_string()),
        };
        self.bus.emit(event).await;
        Ok(())
    }

    /// Puts something on record that models never see.
    ///
    /// Errors: the record cannot be written, or JSON cannot say the data.
    pub async fn append_entry(
        &self,
        custom_type: &str,
        data: &impl Serialize,
    ) -> Result<(), SessionError> {
        let appended = self.on_record(|session| {
            let id = session.append_custom(custom_type, data)?;
            session.view().raw_entry(&id)
        });
        let Some(raw) = appended.transpose()? else {
            return Ok(());
        };
        if let Ok(entry) = serde_json::from_str(raw.get()) {
            self.bus.emit(EventBody::EntryAppended { entry }).await;
        }
        Ok(())
    }
}
