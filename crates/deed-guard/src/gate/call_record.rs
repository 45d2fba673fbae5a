//! How the life of a call is written down.

use std::io;
use std::sync::Arc;

use deed_agent::{CallOutcome, EarlyEnd, FrozenCall, OutcomeKind, Redactor, Refusal, TurnedAway};
use deed_protocol::{ContentBlock, ToolCall, ToolResult};
use deed_schema::Sha256Hash;
use serde_json::Value;

use super::Ruling;
use crate::audit::{AuditLog, CallRef, Decided, Entry, HookChange, OutcomeRecord};
use crate::policy::PolicyVerdict;
use crate::redact::SecretRedactor;

/// More of the arguments than that never reaches a record.
const MAX_ARGS_BYTES: usize = 16 * 1024;

/// Words for where a call ended that was never decided on.
const EARLY_ENDS: [(EarlyEnd, &str); 8] = [
    (EarlyEnd::CutShort, "cut_short"),
    (EarlyEnd::Lookup, "unknown_tool"),
    (EarlyEnd::Arguments, "bad_arguments"),
    (EarlyEnd::Hook, "blocked_by_hook"),
    (EarlyEnd::Confirmation, "confirmed_otherwise"),
    (EarlyEnd::Plan, "no_plan"),
    (EarlyEnd::Cancelled, "cancelled"),
    (EarlyEnd::Panic, "panic"),
];

/// Words for how a call ended that was granted, where it is not simply finished.
const OUTCOMES: [(OutcomeKind, &str); 3] = [
    (OutcomeKind::Panicked, "panicked"),
    (OutcomeKind::Unknown, "outcome_unknown"),
    (OutcomeKind::NeverRan, "never_ran"),
];

/// Writes records of calls, if there is a log.
#[derive(Debug)]
pub(super) struct Recorder {
    log: Option<Arc<AuditLog>>,
    redactor: Arc<SecretRedactor>,
    run: Arc<str>,
}

impl Recorder {
    pub(super) fn new(
        log: Option<Arc<AuditLog>>,
        redactor: Arc<SecretRedactor>,
        run: Arc<str>,
    ) -> Self {
        Self { log, redactor, run }
    }

    pub(super) fn run(&self) -> &Arc<str> {
        &self.run
    }

    pub(super) fn call_ref(&self, call: &FrozenCall) -> CallRef {
        CallRef {
            run: self.run.clone(),
            turn: None,
            id: call.call().id.clone(),
            serial: Some(call.serial()),
            tool: call.call().name.clone(),
            source: Some(call.source().path.clone()),
            args_sha256: Some(*call.args_sha256()),
            context_sha256: Some(*call.context_sha256()),
        }
    }

    /// Names the one grant that a call can have.
    pub(super) fn grant_id(&self, call: &FrozenCall) -> String {
        format!("{}/{}", self.run, call.serial())
    }

    /// The call, and what hooks did to it.
    pub(super) fn called(&self, call: &FrozenCall) -> Vec<Entry> {
        let call_ref = self.call_ref(call);
        let mut entries = vec![Entry::call(
            call_ref.clone(),
            self.args_text(call.args().value()),
        )];
        entries.extend(call.changes().iter().map(|change| {
            let change = HookChange {
                name: change.hook.clone(),
                before_sha256: change.before_sha256,
                after_sha256: change.after_sha256,
            };
            Entry::hook(call_ref.clone(), change)
        }));
        entries
    }

    /// The call, and what the policy says of it.
    pub(super) fn called_and_decided(&self, call: &FrozenCall, ruling: &Ruling) -> Vec<Entry> {
        let mut entries = self.called(call);
        let decided = match ruling.decision.verdict {
            PolicyVerdict::Allow => Decided::Allow,
            PolicyVerdict::Ask => Decided::Ask,
            PolicyVerdict::Deny => Decided::Deny,
        };
        let rule = ruling.decision.rule_id();
        let entry = Entry::decision(self.call_ref(call), decided, Some(&rule), ruling.policy);
        let class = call.plan().classification.as_ref();
        entries.push(match class {
            Some(found) => entry.detail("class", found.class.as_str()),
            None => entry,
        });
        entries
    }

    /// The call was refused for another reason than a rule.
    pub(super) fn refused(
        &self,
        call: &FrozenCall,
        policy: Sha256Hash,
        rule: &str,
        refusal: &Refusal,
    ) -> Entry {
        Entry::decision(self.call_ref(call), Decided::Deny, Some(rule), policy)
            .reason(refusal.reason.as_str())
    }

    pub(super) fn void(&self, call: &FrozenCall) {
        self.note(vec![Entry::void(self.call_ref(call), &self.grant_id(call))]);
    }

    pub(super) fn progress(&self, call: &FrozenCall, updates: u64, bytes: u64) {
        self.note(vec![Entry::progress(self.call_ref(call), updates, bytes)]);
    }

    pub(super) fn outcome(&self, call: &FrozenCall, outcome: &CallOutcome<'_>) {
        if self.log.is_none() || outcome.kind == OutcomeKind::NeverRan {
            return;
        }
        let word = OUTCOMES.iter().find(|(kind, _)| *kind == outcome.kind);
        let content = content_bytes(outcome.result);
        let record = OutcomeRecord {
            is_error: outcome.result.is_error,
            code: word.map(|(_, word)| (*word).into()),
            bytes: content.len() as u64,
            sha256: Sha256Hash::of(&content),
            truncated: was_truncated(outcome.result),
            elapsed: outcome.elapsed,
        };
        let grant = self.grant_id(call);
        self.note(vec![Entry::outcome(self.call_ref(call), &grant, record)]);
    }

    pub(super) fn turned_away(&self, call: &ToolCall, why: &TurnedAway<'_>) {
        let call_ref = CallRef::new(&self.run, &call.id, &call.name);
        let word = EARLY_ENDS.iter().find(|(stage, _)| *stage == why.stage);
        let word = word.map_or("unknown", |(_, word)| word);
        let reason = why.result.content.iter().find_map(ContentBlock::as_text);
        let args = self.bounded(call.arguments.get().as_bytes());
        self.note(vec![
            Entry::call(call_ref.clone(), args),
            Entry::turned_away(call_ref, word, why.hook, reason.unwrap_or_default()),
        ]);
    }

    /// Returns the text of arguments, cut where no record shows more.
    pub(super) fn args_text(&self, args: &Value) -> String {
        let mut text = Bounded(Vec::new());
        // An error says that the bound was reached.
        serde_json::to_writer(&mut text, args).ok();
        self.bounded(&text.0)
    }

    /// Cuts a text, but not within a known secret, which would no longer be known there.
    fn bounded(&self, text: &[u8]) -> String {
        let Some(start) = text
            .get(..MAX_ARGS_BYTES)
            .filter(|_| text.len() > MAX_ARGS_BYTES)
        else {
            return String::from_utf8_lossy(text).into_owned();
        };
        let stream = self.redactor.stream();
        // What the stream holds back may be the beginning of a secret.
        let kept = stream.map(|mut stream| stream.push(start).into_owned());
        String::from_utf8_lossy(kept.as_deref().unwrap_or(start)).into_owned()
    }

    /// Writes what nothing waits for; a log that fails is found out before the next effect.
    pub(super) fn note(&self, entries: Vec<Entry>) {
        if let Some(log) = &self.log {
            log.note(entries);
        }
    }

    /// Tells whether calls can still be recorded.
    ///
    /// Errors: why not.
    pub(super) fn check(&self) -> Result<(), String> {
        let checked = self.log.as_ref().map_or(Ok(()), |log| log.check());
        checked.map_err(|error| error.to_string())
    }

    /// Writes what must be there before something happens; with `must_sync`, on the disk.
    ///
    /// Errors: why it is not there; what announces no effect is then a mere note.
    pub(super) async fn write(&self, entries: Vec<Entry>, must_sync: bool) -> Result<(), String> {
        let Some(log) = self.log.clone().filter(|_| !entries.is_empty()) else {
            return Ok(());
        };
        let append = move |log: &AuditLog| {
            let appended = match must_sync {
                true => log.append_synced(&entries),
                false => log.append(&entries),
            };
            appended.map(drop).map_err(|error| {
                let effectless = entries.into_iter().filter(|entry| !entry.is_effect());
                log.note(effectless.collect());
                error.to_string()
            })
        };
        if !must_sync && !log.syncs_effects() {
            // Some microseconds: less than handing it to another thread.
            return append(&log);
        }
        let written = tokio::task::spawn_blocking(move || append(&log)).await;
        written.map_err(|error| error.to_string())?
    }
}

/// Takes bytes up to one more than the bound, then fails.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (MAX_ARGS_BYTES + 1).saturating_sub(self.0.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        self.0.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the content as bytes: what a model would read, and pictures as they are sent.
fn content_bytes(result: &ToolResult) -> Vec<u8> {
    let mut bytes = Vec::new();
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => bytes.extend_from_slice(text.text.as_bytes()),
            ContentBlock::Image(image) => bytes.extend_from_slice(image.data.as_bytes()),
            _ => {}
        }
    }
    bytes
}

fn was_truncated(result: &ToolResult) -> bool {
    let details = result.details.as_ref();
    details.is_some_and(|details| {
        details.get("truncation").is_some() || details.get("truncated") == Some(&Value::Bool(true))
    })
}
