//! The gate: policy, approvals and audit behind the seam of the runner.

mod approvals;
mod ask;
mod call_record;
mod commit;
mod grants;
mod person;
mod progress;
mod question;
mod refusal;

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use deed_agent::{
    Allowed, Answer, BoxFuture, CallOutcome, Committed, FrozenCall, Gate, Question, ToolSpec,
    TurnedAway, Verdict,
};
use deed_protocol::{ToolCall, ToolResult};
use deed_schema::Sha256Hash;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::approval::{Approver, NoApprover};
use crate::audit::{AuditLog, Entry};
use crate::policy::{Decision, PermissionMode, Policy, PolicyVerdict, Request};
use crate::redact::SecretRedactor;
use crate::trust::StoredRules;

pub use grants::SessionGrant;
pub use person::{PersonCommand, PersonGrant, PersonOutcome};

use approvals::Approvals;
use call_record::Recorder;
use grants::SessionGrants;
use progress::Progress;

/// The name of the rule that keeps marks of secrets out of files.
const MARKER_RULE: &str = "built-in:redaction-marker";

/// What a [`GuardGate`] is made of.
#[derive(Clone)]
pub struct GuardConfig {
    /// What may run.
    pub policy: Policy,
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// Where everything is written down; without it nothing is.
    pub audit: Option<Arc<AuditLog>>,
    /// What takes secrets out, and knows what it put in their place.
    pub redactor: Arc<SecretRedactor>,
    /// Where rules go that a person wants to hold for good; without it none can be made.
    pub stored_rules: Option<Arc<Mutex<StoredRules>>>,
    /// The name of this run in the record.
    pub run: Arc<str>,
}

impl GuardConfig {
    /// Makes a gate of a policy that asks nobody and records nothing.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            approver: Arc::new(NoApprover),
            audit: None,
            redactor: Arc::new(SecretRedactor::new([]).0),
            stored_rules: None,
            run: "run".into(),
        }
    }
}

impl fmt::Debug for GuardConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardConfig")
            .field("policy", &self.policy)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// Tells which tools there still are.
pub trait LiveTools: Send + Sync + 'static {
    /// Tells whether a tool may still be called that was there when its turn began.
    ///
    /// A tool that merely left the active set may; one that was excluded or taken away may not.
    fn is_known(&self, tool: &str) -> bool;
}

/// Decides by a policy, asks a person, and writes everything down.
///
/// Cheap to clone; all clones are one gate. Everything it records before a call runs is written
/// when `commit` returns. Where the record cannot be written, only calls that just read run.
#[derive(Clone)]
pub struct GuardGate(Arc<Shared>);

struct Shared {
    policy: RwLock<Policy>,
    approver: Arc<dyn Approver>,
    recorder: Arc<Recorder>,
    redactor: Arc<SecretRedactor>,
    stored_rules: Option<Arc<Mutex<StoredRules>>>,
    approvals: Mutex<Approvals>,
    session_grants: Mutex<SessionGrants>,
    progress: Progress,
    live: OnceLock<Arc<dyn LiveTools>>,
    /// Counts up whenever a call that waits for a person may have become allowed.
    loosened: watch::Sender<u64>,
    /// Counts up with each answer of a person.
    answered: watch::Sender<u64>,
    next_question: AtomicU64,
}

impl GuardGate {
    /// Makes a gate and records the policy it begins with.
    pub fn new(config: GuardConfig) -> Self {
        let recorder = Arc::new(Recorder::new(
            config.audit,
            config.redactor.clone(),
            config.run,
        ));
        recorder.note(vec![
            Entry::policy_loaded(config.policy.version())
                .detail("mode", config.policy.mode().as_str()),
        ]);
        Self(Arc::new(Shared {
            policy: RwLock::new(config.policy),
            approver: config.approver,
            recorder,
            redactor: config.redactor,
            stored_rules: config.stored_rules,
            approvals: Mutex::default(),
            session_grants: Mutex::default(),
            progress: Progress::default(),
            live: OnceLock::new(),
            loosened: watch::Sender::new(0),
            answered: watch::Sender::new(0),
            next_question: AtomicU64::new(1),
        }))
    }

    /// Sets who knows which tools there still are; the first that is set stands.
    pub fn watch_tools(&self, live: Arc<dyn LiveTools>) {
        self.0.live.set(live).ok();
    }

    /// Returns the policy of this moment.
    pub fn policy(&self) -> Policy {
        let policy = self.0.policy.read();
        policy.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another policy in force, for calls too that wait for a person or for their commit.
    pub fn set_policy(&self, policy: Policy) {
        self.0.change_policy(|_| Some(policy));
    }

    /// Changes the permission mode, on a person's word.
    pub fn set_mode(&self, mode: PermissionMode) {
        self.0.change_policy(|policy| Some(policy.with_mode(mode)));
    }

    /// Tells whether all calls of a tool are denied, so that no model need hear of it.
    pub fn hides(&self, spec: &ToolSpec) -> bool {
        self.policy()
            .hides(&spec.name, &spec.policy_name, &spec.source)
    }

    /// Returns what takes secrets out.
    pub fn redactor(&self) -> &Arc<SecretRedactor> {
        &self.0.redactor
    }

    /// Returns what was allowed for the session, by the approval that did so.
    pub fn session_grants(&self) -> Vec<SessionGrant> {
        self.0.session_grants().list()
    }

    /// Takes back what an approval allowed for the session; tells whether there was such a thing.
    pub fn revoke_session_grant(&self, approval: &str) -> bool {
        self.0.session_grants().revoke(approval)
    }

    /// Records a handler of an extension that failed.
    pub fn note_failed_handler(&self, extension: &str, event: &str, error: &str) {
        let entry = Entry::handler_failed(extension, error).detail("handler", event);
        self.0.recorder.note(vec![entry]);
    }

    /// Records what an extension did, or was refused, outside of its engine.
    pub fn note_extension_act(&self, extension: &str, what: &str, refusal: Option<&str>) {
        let entry = Entry::extension_act(extension, what, refusal);
        self.0.recorder.note(vec![entry]);
    }

    /// Records an answer that came when its question no longer stood; it has no effect.
    pub fn note_late_answer(&self, approval: &str, answer: &str) {
        let entry = Entry::late_answer(approval).detail("answer", answer);
        self.0.recorder.note(vec![entry]);
    }
}

/// A decision, and the version of the policy that it rests on.
struct Ruling {
    decision: Decision,
    policy: Sha256Hash,
}

impl Shared {
    fn policy(&self) -> Policy {
        let policy = self.policy.read();
        policy.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the policy, records that, and lets all look again who wait for a person.
    fn change_policy(&self, change: impl FnOnce(&Policy) -> Option<Policy>) {
        let mut held = self.policy.write().unwrap_or_else(PoisonError::into_inner);
        let Some(policy) = change(&held) else { return };
        let (before, after) = (held.mode(), policy.mode());
        let mut entries = vec![Entry::policy_loaded(policy.version())];
        if before != after {
            entries.push(Entry::mode_changed(before.as_str(), after.as_str()));
        }
        *held = policy;
        drop(held);
        self.recorder.note(entries);
        self.loosened.send_modify(|count| *count += 1);
    }

    fn session_grants(&self) -> std::sync::MutexGuard<'_, SessionGrants> {
        let grants = self.session_grants.lock();
        grants.unwrap_or_else(PoisonError::into_inner)
    }

    fn approvals(&self) -> std::sync::MutexGuard<'_, Approvals> {
        let approvals = self.approvals.lock();
        approvals.unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides by the policy of this moment, without what was granted for the session.
    fn rule(&self, call: &FrozenCall) -> Ruling {
        let policy = self.policy();
        Ruling {
            decision: policy.decide(&Request::of(call)),
            policy: policy.version(),
        }
    }

    fn store_rule(&self, rule: &str, approval: &str) -> Result<(), String> {
        let Some(stored) = &self.stored_rules else {
            return Err("there is no place to store rules".to_owned());
        };
        let policy = self.policy();
        let mut stored = stored.lock().unwrap_or_else(PoisonError::into_inner);
        let added = stored.add(rule, policy.working_folder(), approval, Timestamp::now());
        added.map(drop).map_err(|error| error.to_string())
    }

    /// Returns the approval that already covers a call which would have to be asked about.
    fn granted(&self, call: &FrozenCall) -> Option<Arc<str>> {
        self.session_grants().covering(call)
    }
}

impl Gate for GuardGate {
    fn decide<'a>(&'a self, call: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        let shared = &self.0;
        if let Some(refusal) = refusal::of_markers(&shared.redactor, call) {
            let mut entries = shared.recorder.called(call);
            let version = shared.policy().version();
            entries.push(
                shared
                    .recorder
                    .refused(call, version, MARKER_RULE, &refusal),
            );
            shared.recorder.note(entries);
            return Box::pin(async { Verdict::Deny(refusal) });
        }
        let ruling = shared.rule(call);
        let decision = &ruling.decision;
        let verdict = match decision.verdict {
            PolicyVerdict::Allow => Verdict::Allow,
            PolicyVerdict::Ask if shared.granted(call).is_some() => Verdict::Allow,
            PolicyVerdict::Ask => Verdict::Ask(Question {
                reason: decision.reason.clone(),
            }),
            PolicyVerdict::Deny => {
                let entries = shared.recorder.called_and_decided(call, &ruling);
                shared.recorder.note(entries);
                Verdict::Deny(refusal::denied(decision))
            }
        };
        Box::pin(async { verdict })
    }

    fn ask<'a>(
        &'a self,
        call: &'a FrozenCall,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Answer> {
        Box::pin(ask::ask(&self.0, call, question, cancel))
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        Box::pin(commit::commit(&self.0, batch))
    }

    fn outcome<'a>(
        &'a self,
        call: &'a FrozenCall,
        outcome: &'a CallOutcome<'a>,
    ) -> BoxFuture<'a, ()> {
        self.0.progress.forget(call.serial());
        self.0.recorder.outcome(call, outcome);
        Box::pin(async {})
    }

    fn progress(&self, call: &FrozenCall, partial: &ToolResult) {
        if let Some((updates, bytes)) = self.0.progress.due(call.serial(), partial) {
            self.0.recorder.progress(call, updates, bytes);
        }
    }

    fn turned_away(&self, call: &ToolCall, why: &TurnedAway<'_>) {
        self.0.recorder.turned_away(call, why);
    }
}

impl fmt::Debug for GuardGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardGate")
            .field("policy", &self.policy())
            .finish_non_exhaustive()
    }
}
