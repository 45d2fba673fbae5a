use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use deed_protocol::{ContentBlock, Message, UserContent};

/// How much of a queue is delivered at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrainMode {
    /// The oldest message.
    #[default]
    OneAtATime,
    /// All of them.
    All,
}

/// Messages that wait to be delivered, oldest first.
#[derive(Debug, Default)]
pub struct MessageQueue {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Message>>,
    mode: DrainMode,
}

impl MessageQueue {
    /// Sets how much is delivered at once.
    pub fn set_mode(&self, mode: DrainMode) {
        self.lock().mode = mode;
    }

    /// Adds a message.
    pub fn push(&self, message: Message) {
        self.lock().waiting.push_back(Arc::new(message));
    }

    /// Takes what is to be delivered now.
    pub fn drain(&self) -> Vec<Arc<Message>> {
        let mut state = self.lock();
        match state.mode {
            DrainMode::OneAtATime => state.waiting.pop_front().into_iter().collect(),
            DrainMode::All => state.waiting.drain(..).collect(),
        }
    }

    /// Takes everything, whatever the mode.
    pub fn clear(&self) -> Vec<Arc<Message>> {
        self.lock().waiting.drain(..).collect()
    }

    /// Returns how many messages wait.
    pub fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Tells whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lock().waiting.is_empty()
    }

    /// Returns the texts of what waits, oldest first.
    pub fn texts(&self) -> Vec<String> {
        self.lock()
            .waiting
            .iter()
            .map(|message| text_of(message))
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text_of(message: &Message) -> String {
    let content = match message {
        Message::User(user) => &user.content,
        Message::Custom(custom) => &custom.content,
        _ => return String::new(),
    };
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
            texts.join("\n")
        }
    }
}
