//! What extensions are asked and told of the session as a whole.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::ModelInfo;
use deed_protocol::ThinkingLevel;
use tokio_util::sync::CancellationToken;

use super::{Core, ExtensionHost};
use crate::{
    BeforeCompactReply, Consent, ExtensionEvent, ForkPosition, ModelSelectEvent, ModelSelectSource,
    OwnCompaction, SessionBeforeCompactEvent, SessionBeforeForkEvent, SessionBeforeSwitchEvent,
    SessionCompactEvent, SessionCompactFailedEvent, SwitchReason, ThinkingLevelSelectEvent,
};

/// What extensions want of a compaction.
#[derive(Debug)]
pub enum CompactionWish {
    /// The model is to write the summary.
    Usual,
    /// It is not to take place.
    None,
    /// This summary is to stand.
    Own(Box<OwnCompaction>),
}

impl ExtensionHost {
    /// Tells whether anybody listens to an event, for who would have to put much together for it.
    pub fn listens_to<E: ExtensionEvent>(&self) -> bool {
        self.0.listens_to::<E>()
    }

    /// Asks whether another session may take the place of this one.
    ///
    /// Cancellation: by `cancel`; what was not answered by then counts as a yes.
    pub async fn may_switch(
        &self,
        reason: SwitchReason,
        target_session_file: Option<PathBuf>,
        cancel: &CancellationToken,
    ) -> bool {
        let event = SessionBeforeSwitchEvent {
            reason,
            target_session_file,
        };
        self.0.all_agree(event, cancel).await
    }

    /// Asks whether a part of this session may become one of its own.
    ///
    /// Cancellation: as [`ExtensionHost::may_switch`].
    pub async fn may_fork(
        &self,
        entry_id: Arc<str>,
        position: ForkPosition,
        cancel: &CancellationToken,
    ) -> bool {
        let event = SessionBeforeForkEvent { entry_id, position };
        self.0.all_agree(event, cancel).await
    }

    /// Tells that another model answers.
    pub async fn model_selected(
        &self,
        model: ModelInfo,
        previous_model: ModelInfo,
        source: ModelSelectSource,
    ) {
        let event = ModelSelectEvent {
            model,
            previous_model: Some(previous_model),
            source,
        };
        self.0.tell_event(event, &self.0.cancellation()).await;
    }

    /// Tells that the model thinks more or less.
    pub async fn thinking_selected(&self, level: ThinkingLevel, previous_level: ThinkingLevel) {
        let event = ThinkingLevelSelectEvent {
            level,
            previous_level,
        };
        self.0.tell_event(event, &self.0.cancellation()).await;
    }

    /// Asks what is to become of a compaction.
    ///
    /// Cancellation: by `cancel`.
    pub async fn before_compact(
        &self,
        mut event: SessionBeforeCompactEvent,
        cancel: &CancellationToken,
    ) -> CompactionWish {
        let mut wish = CompactionWish::Usual;
        let take = |_: &mut SessionBeforeCompactEvent, reply| {
            Ok(match reply {
                BeforeCompactReply::Continue => ControlFlow::Continue(()),
                BeforeCompactReply::Cancel => {
                    wish = CompactionWish::None;
                    ControlFlow::Break(())
                }
                BeforeCompactReply::Compaction(own) => {
                    wish = CompactionWish::Own(own);
                    ControlFlow::Continue(())
                }
            })
        };
        self.0.chain(&mut event, cancel, take).await;
        wish
    }

    /// Tells that the transcript was compacted.
    pub async fn compacted(&self, event: SessionCompactEvent) {
        self.0.tell_event(event, &self.0.cancellation()).await;
    }

    /// Tells that the transcript was not compacted.
    pub async fn not_compacted(&self, event: SessionCompactFailedEvent) {
        self.0.tell_event(event, &self.0.cancellation()).await;
    }
}

impl Core {
    async fn all_agree<E: ExtensionEvent<Reply = Consent>>(
        self: &Arc<Self>,
        mut event: E,
        cancel: &CancellationToken,
    ) -> bool {
        let mut agreed = true;
        let take = |_: &mut E, consent| {
            Ok(match consent {
                Consent::Agree => ControlFlow::Continue(()),
                Consent::Cancel => {
                    agreed = false;
                    ControlFlow::Break(())
                }
            })
        };
        self.chain(&mut event, cancel, take).await;
        agreed
    }
}
