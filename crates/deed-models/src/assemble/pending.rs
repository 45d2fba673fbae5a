use deed_agent::ModelDelta;
use deed_protocol::{AssistantDelta, Usage};
use tokio::sync::mpsc;

/// What listeners have not heard yet.
///
/// Pieces of one block that came together go out as one delta: a chunk of the network often holds a
/// hundred of them, and each costs every listener an event.
#[derive(Debug, Default)]
pub(super) struct Pending {
    deltas: Vec<AssistantDelta>,
    /// Nobody listens any more; the answer counts all the same.
    is_deaf: bool,
}

impl Pending {
    pub(super) fn push(&mut self, delta: AssistantDelta) {
        if !self.is_deaf {
            self.deltas.push(delta);
        }
    }

    pub(super) fn text(&mut self, at: usize, piece: &str) {
        match self.deltas.last_mut() {
            Some(AssistantDelta::TextDelta {
                content_index,
                delta,
            }) if *content_index == at => delta.push_str(piece),
            _ => self.push(AssistantDelta::TextDelta {
                content_index: at,
                delta: piece.to_owned(),
            }),
        }
    }

    pub(super) fn thinking(&mut self, at: usize, piece: &str) {
        match self.deltas.last_mut() {
            Some(AssistantDelta::ThinkingDelta {
                content_index,
                delta,
            }) if *content_index == at => delta.push_str(piece),
            _ => self.push(AssistantDelta::ThinkingDelta {
                content_index: at,
                delta: piece.to_owned(),
            }),
        }
    }

    pub(super) fn call(&mut self, at: usize, piece: &str) {
        match self.deltas.last_mut() {
            Some(AssistantDelta::ToolCallDelta {
                content_index,
                delta,
            }) if *content_index == at => delta.push_str(piece),
            _ => self.push(AssistantDelta::ToolCallDelta {
                content_index: at,
                delta: piece.to_owned(),
            }),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.deltas.is_empty()
    }

    /// Sends all, the first with what is new of the usage.
    pub(super) async fn send(
        &mut self,
        to: &mpsc::Sender<ModelDelta>,
        mut usage: Option<Box<Usage>>,
    ) {
        for delta in self.deltas.drain(..) {
            let usage = usage.take();
            if to.send(ModelDelta { delta, usage }).await.is_err() {
                self.is_deaf = true;
                return;
            }
        }
    }
}
