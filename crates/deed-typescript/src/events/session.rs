//! The session as a whole: what takes its place, what is summed up, which model answers.

use deed_agent::ModelInfo;
use deed_extensions::{
    BeforeCompactReply, Consent, ForkPosition, ModelSelectEvent, ModelSelectSource, OwnCompaction,
    SessionBeforeCompactEvent, SessionBeforeForkEvent, SessionBeforeSwitchEvent,
    SessionCompactEvent, SessionCompactFailedEvent, SessionInfoChangedEvent, SessionShutdownEvent,
    SessionStartEvent, SwitchReason, ThinkingLevelSelectEvent,
};
use deed_protocol::Usage;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Bridged;
use super::wire::{take, told, value};
use crate::bridge::Bridge;

/// Writes a model as scripts see it.
pub(crate) fn model(model: &ModelInfo) -> Value {
    json!({
        "provider": model.provider,
        "api": model.api,
        "id": model.id,
        "name": model.id,
        "contextWindow": model.context_window,
        "maxTokens": model.max_output_tokens,
    })
}

told! {
    SessionStartEvent: |e| json!({
        "reason": e.reason.as_str(),
        "previousSessionFile": e.previous_session_file,
    });
    SessionShutdownEvent: |e| json!({
        "reason": e.reason.as_str(),
        "targetSessionFile": e.target_session_file,
    });
    SessionInfoChangedEvent: |e| json!({ "name": e.name });
    ModelSelectEvent: |e| json!({
        "model": model(&e.model),
        "previousModel": e.previous_model.as_ref().map(model),
        "source": match e.source {
            ModelSelectSource::Set => "set",
            ModelSelectSource::Cycle => "cycle",
            ModelSelectSource::Restore => "restore",
        },
    });
    ThinkingLevelSelectEvent: |e| json!({
        "level": e.level.as_str(),
        "previousLevel": e.previous_level.as_str(),
    });
    SessionCompactEvent: |e| json!({
        "compactionEntry": e.compaction_entry,
        "fromExtension": e.from_extension,
        "reason": e.reason.as_str(),
        "willRetry": e.will_retry,
    });
    SessionCompactFailedEvent: |e| json!({
        "reason": e.reason.as_str(),
        "errorMessage": e.error_message,
        "aborted": e.aborted,
        "willRetry": e.will_retry,
        "fromExtension": e.from_extension,
    });
}

fn consent(mut answer: Value) -> Result<Consent, String> {
    Ok(match take(&mut answer, "cancel")? {
        Some(true) => Consent::Cancel,
        _ => Consent::Agree,
    })
}

impl Bridged for SessionBeforeSwitchEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let reason = match self.reason {
            SwitchReason::New => "new",
            SwitchReason::Resume => "resume",
        };
        json!({ "reason": reason, "targetSessionFile": self.target_session_file })
    }

    fn answer(&mut self, answer: Value) -> Result<Consent, String> {
        consent(answer)
    }
}

impl Bridged for SessionBeforeForkEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let position = match self.position {
            ForkPosition::Before => "before",
            ForkPosition::At => "at",
        };
        json!({ "entryId": self.entry_id, "position": position })
    }

    fn answer(&mut self, answer: Value) -> Result<Consent, String> {
        consent(answer)
    }
}

/// A summary as a script gives it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compaction {
    summary: String,
    first_kept_entry_id: String,
    #[serde(default)]
    tokens_before: u64,
    usage: Option<Usage>,
    details: Option<Value>,
}

impl Bridged for SessionBeforeCompactEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let preparation = &self.preparation;
        json!({
            "preparation": {
                "firstKeptEntryId": preparation.first_kept_entry_id,
                "messagesToSummarize": value(&preparation.messages_to_summarize),
                "turnPrefixMessages": value(&preparation.turn_prefix_messages),
                "isSplitTurn": !preparation.turn_prefix_messages.is_empty(),
                "previousSummary": preparation.previous_summary,
                "tokensBefore": preparation.tokens_before,
                "fileOps": {
                    "read": preparation.read_files,
                    "edited": preparation.modified_files,
                },
            },
            "branchEntries": value(&*self.branch_entries),
            "customInstructions": self.custom_instructions,
            "reason": self.reason.as_str(),
            "willRetry": self.will_retry,
        })
    }

    fn answer(&mut self, mut answer: Value) -> Result<BeforeCompactReply, String> {
        if take(&mut answer, "cancel")? == Some(true) {
            return Ok(BeforeCompactReply::Cancel);
        }
        let own: Option<Compaction> = take(&mut answer, "compaction")?;
        Ok(match own {
            None => BeforeCompactReply::Continue,
            Some(own) => BeforeCompactReply::Compaction(Box::new(OwnCompaction {
                summary: own.summary,
                first_kept_entry_id: own.first_kept_entry_id.into(),
                tokens_before: own.tokens_before,
                usage: own.usage,
                details: own.details,
            })),
        })
    }
}
