use std::sync::Arc;

use deed_agent::{DrainMode, Model, ModelInfo};
use deed_extensions::ModelSelectSource;
use deed_protocol::{EventBody, Message, ThinkingLevel};
use deed_session::SessionError;
use deed_tooling::ImageLimits;

use crate::AgentSession;

/// What a person or a program may change of a session while it lives.
impl AgentSession {
    /// Returns who the model is.
    pub fn model(&self) -> ModelInfo {
        self.source.model.info()
    }

    /// Takes another model from the next turn on; extensions hear of it, and how it came to that.
    ///
    /// Errors: the record cannot be written; the model is taken all the same.
    pub async fn set_model(
        &self,
        model: Arc<dyn Model>,
        source: ModelSelectSource,
    ) -> Result<(), SessionError> {
        let info = model.info().clone();
        let previous = self.source.model.set_model(model);
        self.agent.set_inputs(self.source.inputs());
        let noted = self.on_record(|record| record.append_model_change(&info.provider, &info.id));
        if (&previous.provider, &previous.id) != (&info.provider, &info.id) {
            let extensions = &self.extensions;
            extensions.model_selected(info, previous, source).await;
        }
        noted.transpose().map(drop)
    }

    /// Returns how large pictures may be; `None` if they stay as they are.
    pub fn image_limits(&self) -> Option<ImageLimits> {
        self.source.image_limits
    }

    /// Returns how much the model thinks.
    pub fn thinking(&self) -> ThinkingLevel {
        self.source.model.get().thinking
    }

    /// Sets how much the model thinks, from the next turn on.
    ///
    /// Errors: the record cannot be written; the level holds all the same.
    pub async fn set_thinking(&self, level: ThinkingLevel) -> Result<(), SessionError> {
        match self.change_thinking(level) {
            Some(previous) => self.tell_thinking(level, previous).await,
            None => Ok(()),
        }
    }

    /// Takes the level at once and returns the one before; `None` if it was that one.
    pub(crate) fn change_thinking(&self, level: ThinkingLevel) -> Option<ThinkingLevel> {
        let previous = self.source.model.set_thinking(level);
        if previous == level {
            return None;
        }
        self.agent.set_inputs(self.source.inputs());
        Some(previous)
    }

    /// Writes a level down that was taken, and tells of it.
    pub(crate) async fn tell_thinking(
        &self,
        level: ThinkingLevel,
        previous: ThinkingLevel,
    ) -> Result<(), SessionError> {
        let noted = self.on_record(|record| record.append_thinking_level(level.as_str()));
        let event = EventBody::ThinkingLevelChanged {
            level: level.to_string(),
        };
        self.bus.emit(event).await;
        self.extensions.thinking_selected(level, previous).await;
        noted.transpose().map(drop)
    }

    /// Delivers a message before the next request of the run; without a run, with the next prompt.
    pub fn steer(&self, message: Message) {
        self.agent.queue_steering(message);
    }

    /// Delivers a message when the run would end; without a run, after the next prompt.
    pub fn follow_up(&self, message: Message) {
        self.agent.queue_follow_up(message);
    }

    /// Sets how much of the queues is delivered at once.
    pub fn set_drain_modes(&self, steering: DrainMode, follow_up: DrainMode) {
        self.agent.set_drain_modes(steering, follow_up);
    }

    /// Sets whether failed requests are sent again.
    pub fn set_auto_retry(&self, enabled: bool) {
        self.source.retries.set_enabled(enabled);
    }

    /// Gives up on a request that waits to be sent again; the run then ends with its error.
    pub fn abort_retry(&self) {
        self.source.retries.stop_waiting();
    }
}
