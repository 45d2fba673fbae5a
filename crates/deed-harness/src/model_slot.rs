use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{Model, ModelInfo};
use deed_protocol::ThinkingLevel;

/// The model of a session and how much it thinks; both may change between turns.
pub(crate) struct ModelSlot(Mutex<ChosenModel>);

/// A model and how much it thinks.
#[derive(Clone)]
pub(crate) struct ChosenModel {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) thinking: ThinkingLevel,
}

impl ModelSlot {
    pub(crate) fn new(chosen: ChosenModel) -> Self {
        Self(Mutex::new(chosen))
    }

    pub(crate) fn get(&self) -> ChosenModel {
        self.lock().clone()
    }

    pub(crate) fn info(&self) -> ModelInfo {
        self.lock().model.info().clone()
    }

    /// Sets the model and returns who was it before.
    pub(crate) fn set_model(&self, model: Arc<dyn Model>) -> ModelInfo {
        let previous = std::mem::replace(&mut self.lock().model, model);
        previous.info().clone()
    }

    /// Sets the level and returns the one before.
    pub(crate) fn set_thinking(&self, level: ThinkingLevel) -> ThinkingLevel {
        std::mem::replace(&mut self.lock().thinking, level)
    }

    fn lock(&self) -> MutexGuard<'_, ChosenModel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ModelSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModelSlot").field(&self.info()).finish()
    }
}
