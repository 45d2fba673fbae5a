//! From what is allowed to what is granted.

use std::sync::Arc;

use deed_agent::{Allowed, Approval, Authority, Committed, FrozenCall, Grant, Refusal};

use super::grants::{Recorded, is_database_write, only_reads};
use super::{Shared, refusal};
use crate::audit::Entry;
use crate::policy::{Decision, PolicyVerdict};

/// Decides again, writes the intents of the batch in one step, and grants.
pub(super) async fn commit(shared: &Arc<Shared>, batch: Vec<Allowed>) -> Vec<Committed> {
    let mut granted = Vec::new();
    let mut committed = Vec::new();
    let mut entries = Vec::new();
    for allowed in batch {
        match authority(shared, &allowed, &mut entries) {
            Ok(authority) => {
                entries.push(intent(shared, &allowed.call, &authority));
                granted.push((allowed.call, authority));
            }
            Err(refusal) => committed.push(Committed {
                call: allowed.call,
                grant: Err(refusal),
            }),
        }
    }
    let must_sync = granted.iter().any(|(call, _)| is_database_write(call));
    let written = shared.recorder.write(entries, must_sync).await;
    committed.extend(granted.into_iter().map(|(call, authority)| {
        let grant = match &written {
            Err(error) if !only_reads(&call) => Err(refusal::not_recorded(error)),
            _ => Ok(grant(shared, &call, authority)),
        };
        Committed { call, grant }
    }));
    committed
}

/// Says on whose word a call runs under the rules of this moment; adds what is to be recorded.
fn authority(
    shared: &Shared,
    allowed: &Allowed,
    entries: &mut Vec<Entry>,
) -> Result<Authority, Refusal> {
    let call = &allowed.call;
    let ruling = shared.rule(call);
    if allowed.approval.is_none() {
        entries.extend(shared.recorder.called_and_decided(call, &ruling));
    }
    let judged = judge(shared, allowed, &ruling.decision);
    if let Err(refusal) = &judged {
        let rule = ruling.decision.rule_id();
        entries.push(shared.recorder.refused(call, ruling.policy, &rule, refusal));
    }
    judged
}

fn judge(shared: &Shared, allowed: &Allowed, decision: &Decision) -> Result<Authority, Refusal> {
    let call = &allowed.call;
    let tool = &call.call().name;
    if shared.live.get().is_some_and(|live| !live.is_known(tool)) {
        return Err(refusal::gone(tool));
    }
    if decision.verdict == PolicyVerdict::Deny {
        return Err(refusal::no_longer_allowed(decision));
    }
    // What merely covered a question may be gone by now; a yes to this very call is not.
    let own = allowed.approval.as_ref();
    if let Some(approval) = own.filter(|own| shared.approvals().take(own, call)) {
        let is_as_shown = allowed.context_now.as_ref() == Some(call.context_sha256());
        return match is_as_shown {
            true => Ok(Authority::Person(approval.clone())),
            false => Err(refusal::stale()),
        };
    }
    match (decision.verdict, shared.granted(call)) {
        (PolicyVerdict::Allow, _) if decision.is_unattended_write => Ok(Authority::StandingOrder),
        (PolicyVerdict::Allow, _) => Ok(Authority::Rule),
        (_, Some(approval)) => Ok(Authority::Person(Approval(approval))),
        _ => Err(refusal::no_longer_allowed(decision)),
    }
}

fn intent(shared: &Shared, call: &FrozenCall, authority: &Authority) -> Entry {
    let mut intent = Entry::intent(
        shared.recorder.call_ref(call),
        &shared.recorder.grant_id(call),
    );
    if let Authority::Person(approval) = authority {
        intent = intent.detail("approval", &*approval.0);
    }
    if only_reads(call) {
        intent.only_reads()
    } else {
        intent
    }
}

fn grant(shared: &Shared, call: &Arc<FrozenCall>, authority: Authority) -> Grant {
    let state = Recorded {
        recorder: shared.recorder.clone(),
        call: call.clone(),
    };
    Grant::new(Box::new(state), authority)
}
