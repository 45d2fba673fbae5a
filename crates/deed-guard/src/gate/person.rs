//! Commands that a person or a client program runs beside the model.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{Access, EffectPlan, FrozenContext, Refusal};
use deed_protocol::SourceInfo;
use deed_schema::Sha256Hash;
use serde_json::json;

use super::call_record::Recorder;
use super::{GuardGate, MARKER_RULE, Shared, refusal};
use crate::audit::{CallRef, Decided, Entry, OutcomeRecord};
use crate::policy::{PolicyVerdict, Request};

/// What commands of people are called in the record.
const TOOL: &str = "user_bash";
/// The tool whose rules they are under.
const SHELL: &str = "bash";
/// The word in front of the parenthesis of those rules.
const KIND: &str = "Bash";
/// How a command ended of which nobody knows how it ended.
const UNKNOWN: &str = "outcome_unknown";

/// A command that a person wants to run.
#[derive(Clone, Copy, Debug)]
pub struct PersonCommand<'a> {
    /// A name that no other command of this gate has.
    pub id: &'a str,
    /// The command line.
    pub command: &'a str,
    /// The real path of the folder that it runs in.
    pub cwd: &'a Path,
}

/// What came of a command of a person.
#[derive(Clone, Copy, Debug)]
pub struct PersonOutcome<'a> {
    /// A short word for how it ended, if it did not end well.
    pub code: Option<&'a str>,
    /// What it printed, as far as it is kept.
    pub output: &'a str,
    /// Whether something of that was cut.
    pub truncated: bool,
    /// How long it took.
    pub elapsed: Duration,
}

/// A command of a person that is on record as about to run.
///
/// Dropped without a word of what came of it, it is on record as one whose outcome is unknown.
pub struct PersonGrant {
    recorder: Arc<Recorder>,
    call: CallRef,
    is_settled: bool,
}

impl GuardGate {
    /// Lets a command of a person run, and writes that down first.
    ///
    /// Who types a command has decided: nobody is asked, and no mode speaks. What denies holds, and
    /// so does a doubt about a denial, which nobody is there to settle.
    ///
    /// Errors: a rule denies it or may deny it, it holds the mark of a secret, or it cannot be
    /// recorded; it must not run.
    pub async fn admit_command(&self, command: &PersonCommand<'_>) -> Result<PersonGrant, Refusal> {
        let shared = &self.0;
        let call = call_ref(&shared.recorder, command);
        let args = shared
            .recorder
            .args_text(&json!({ "command": command.command }));
        let mut entries = vec![Entry::call(call.clone(), args)];
        match judge(shared, command) {
            Judged {
                refused: Some(refusal),
                rule,
                policy,
            } => {
                let denial = Entry::decision(call, Decided::Deny, Some(&rule), policy);
                entries.push(denial.reason(refusal.reason.as_str()));
                shared.recorder.note(entries);
                Err(refusal)
            }
            Judged {
                refused: None,
                rule,
                policy,
            } => {
                entries.push(Entry::decision(
                    call.clone(),
                    Decided::Allow,
                    Some(&rule),
                    policy,
                ));
                let grant = grant_id(&call);
                entries.push(Entry::intent(call.clone(), &grant));
                let written = shared.recorder.write(entries, false).await;
                written.map_err(|error| refusal::not_recorded(&error))?;
                Ok(PersonGrant {
                    recorder: shared.recorder.clone(),
                    call,
                    is_settled: false,
                })
            }
        }
    }
}

/// What stands against a command, and what that rests on.
struct Judged {
    refused: Option<Refusal>,
    rule: String,
    policy: Sha256Hash,
}

fn judge(shared: &Shared, command: &PersonCommand<'_>) -> Judged {
    let policy = shared.policy();
    if shared.redactor.contains_marker(command.command) {
        return Judged {
            refused: Some(refusal::marker_in_command()),
            rule: MARKER_RULE.to_owned(),
            policy: policy.version(),
        };
    }
    let access = Access::Command {
        command: command.command.to_owned(),
        cwd: command.cwd.to_owned(),
    };
    let decision = policy.decide_for_person(&Request {
        tool: SHELL,
        source: &SourceInfo::builtin(SHELL),
        plan: &EffectPlan::new(access, KIND, command.command),
        args: &json!({ "command": command.command }),
    });
    let is_denied = decision.verdict != PolicyVerdict::Allow;
    Judged {
        refused: is_denied.then(|| refusal::denied_to_person(&decision)),
        rule: decision.rule_id(),
        policy: policy.version(),
    }
}

fn call_ref(recorder: &Recorder, command: &PersonCommand<'_>) -> CallRef {
    let cwd = command.cwd.display().to_string();
    CallRef {
        source: Some("person".into()),
        args_sha256: Some(Sha256Hash::of_canonical(
            &json!({ "command": command.command }),
        )),
        context_sha256: Some(FrozenContext::default().with("cwd", cwd).sha256()),
        ..CallRef::new(recorder.run(), command.id, TOOL)
    }
}

fn grant_id(call: &CallRef) -> String {
    format!("{}/{}", call.run, call.id)
}

impl PersonGrant {
    /// Records what came of it.
    pub fn ended(mut self, outcome: PersonOutcome<'_>) {
        self.is_settled = true;
        self.record(outcome, outcome.code.is_some());
    }

    /// Records that it could not be started.
    pub fn void(mut self) {
        self.is_settled = true;
        let entry = Entry::void(self.call.clone(), &grant_id(&self.call));
        self.recorder.note(vec![entry]);
    }

    fn record(&self, outcome: PersonOutcome<'_>, is_error: bool) {
        let record = OutcomeRecord {
            is_error,
            code: outcome.code.map(Into::into),
            bytes: outcome.output.len() as u64,
            sha256: Sha256Hash::of(outcome.output.as_bytes()),
            truncated: outcome.truncated,
            elapsed: outcome.elapsed,
        };
        let entry = Entry::outcome(self.call.clone(), &grant_id(&self.call), record);
        self.recorder.note(vec![entry]);
    }
}

impl Drop for PersonGrant {
    fn drop(&mut self) {
        if !self.is_settled {
            let unknown = PersonOutcome {
                code: Some(UNKNOWN),
                output: "",
                truncated: false,
                elapsed: Duration::ZERO,
            };
            self.record(unknown, true);
        }
    }
}

impl fmt::Debug for PersonGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PersonGrant").field(&self.call.id).finish()
    }
}
