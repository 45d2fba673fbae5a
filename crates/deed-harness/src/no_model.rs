use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_protocol::{AssistantMessage, StopReason};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::wall_clock_ms;

/// Stands where no model was given; answers with an error that says so.
#[derive(Debug, Default)]
pub(crate) struct NoModel(ModelInfo);

impl Model for NoModel {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn respond<'a>(
        &'a self,
        _request: &'a ModelRequest,
        _deltas: mpsc::Sender<ModelDelta>,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        let mut message = AssistantMessage::new(StopReason::Error, wall_clock_ms());
        message.error_message = Some(
            "no model was chosen for this session; choose one before you prompt it".to_owned(),
        );
        Box::pin(async move { message })
    }
}
