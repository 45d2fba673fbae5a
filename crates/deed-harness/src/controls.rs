use std::sync::Arc;

use deed_agent::{DrainMode, Model, ModelInfo};
use deed_protocol::{EventBody, Message, ThinkingLevel};
use deed_session::SessionError;

use crate::AgentSession;

/// What a person or a program may change of a session while it lives.
impl AgentSession {
    /// Returns who the model is.
    pub fn model(&self) -> ModelInfo {
        self.source.model.info()
    }

    /// Takes another model from the next turn on.
    ///
    /// Errors: the record cannot be written; the model is taken all the same.
    pub fn set_model(&self, model: Arc<dyn Model>) -> Result<(), SessionError> {
        let info = model.info().clone();
        self.source.model.set_model(model);
        self.agent.set_inputs(self.source.inputs());
        let noted = self.on_record(|record| record.append_model_change(&info.provider, &info.id));
        noted.transpose().map(drop)
    }

    /// Returns how much the model thinks.
    pub fn thinking(&self) -> ThinkingLevel {
        self.source.model.get().thinking
    }

    /// Sets how much the model thinks, from the next turn on.
    ///
    /// Errors: the record cannot be written; the level holds all the same.
    pub async fn set_thinking(&self, level: ThinkingLevel) -> Result<(), SessionError> {
        if self.source.model.set_thinking(level) == level {
            return Ok(());
        }
        self.agent.set_inputs(self.source.inputs());
        let noted = self.on_record(|record| record.append_thinking_level(level.as_str()));
        let event = EventBody::ThinkingLevelChanged {
            level: level.to_string(),
        };
        self.bus.emit(event).await;
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
