//! Queues, retries and compaction.

use super::Call;
use crate::response::{Answer, Answered};

pub(super) async fn set_steering_mode(call: Call) -> Answered {
    let mode = call.fields.required("mode")?;
    call.server
        .wish(&call.at, |wishes| wishes.steering = Some(mode));
    Answer::nothing()
}

pub(super) async fn set_follow_up_mode(call: Call) -> Answered {
    let mode = call.fields.required("mode")?;
    call.server
        .wish(&call.at, |wishes| wishes.follow_up = Some(mode));
    Answer::nothing()
}

pub(super) async fn set_auto_compaction(call: Call) -> Answered {
    let enabled = call.fields.required("enabled")?;
    call.server
        .wish(&call.at, |wishes| wishes.auto_compaction = Some(enabled));
    Answer::nothing()
}

pub(super) async fn set_auto_retry(call: Call) -> Answered {
    let enabled = call.fields.required("enabled")?;
    call.server
        .wish(&call.at, |wishes| wishes.auto_retry = Some(enabled));
    Answer::nothing()
}

pub(super) async fn abort_retry(call: Call) -> Answered {
    call.at.session.abort_retry();
    Answer::nothing()
}

pub(super) async fn compact(call: Call) -> Answered {
    let instructions: Option<String> = call.fields.optional("customInstructions")?;
    let _compacting = call.at.compaction.lock().await;
    call.at.ensure_open()?;
    let compacting = call.at.session.compact(instructions.as_deref());
    Answer::of(&compacting.await?)
}
