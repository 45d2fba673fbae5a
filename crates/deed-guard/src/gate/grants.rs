use std::collections::HashMap;
use std::sync::Arc;

use deed_agent::{Access, FrozenCall, GrantState};
use deed_protocol::SourceInfo;
use deed_schema::Sha256Hash;

use super::call_record::Recorder;
use crate::policy::Request;

/// A call that a person allowed for the session: this tool, from this source, with these arguments,
/// for as long as they lead to the same place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionGrant {
    /// The approval that allowed it.
    pub approval: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// Where the tool comes from.
    pub source: Arc<str>,
    /// The hash of the arguments.
    pub args_sha256: Sha256Hash,
}

/// What was allowed for the session.
#[derive(Debug, Default)]
pub(super) struct SessionGrants(HashMap<Key, Given>);

type Key = (Arc<str>, Arc<str>, Sha256Hash);

#[derive(Debug)]
struct Given {
    approval: Arc<str>,
    source: Arc<SourceInfo>,
    /// The real places, which a link may change under the same arguments.
    access: Access,
}

impl SessionGrants {
    pub(super) fn add(&mut self, call: &FrozenCall, approval: Arc<str>) {
        let given = Given {
            approval,
            source: call.source().clone(),
            access: call.plan().access.clone(),
        };
        self.0.insert(key(call), given);
    }

    /// Returns the approval that covers a call; of database writes there is none.
    pub(super) fn covering(&self, call: &FrozenCall) -> Option<Arc<str>> {
        let given = self.0.get(&key(call))?;
        let is_same = given.access == call.plan().access && given.source == *call.source();
        is_same.then(|| given.approval.clone())
    }

    pub(super) fn list(&self) -> Vec<SessionGrant> {
        let mut grants: Vec<SessionGrant> = self
            .0
            .iter()
            .map(|((tool, source, args_sha256), given)| SessionGrant {
                approval: given.approval.clone(),
                tool: tool.clone(),
                source: source.clone(),
                args_sha256: *args_sha256,
            })
            .collect();
        grants.sort_by(|a, b| (&a.tool, &a.approval).cmp(&(&b.tool, &b.approval)));
        grants
    }

    pub(super) fn revoke(&mut self, approval: &str) -> bool {
        let before = self.0.len();
        self.0
            .retain(|_, given| given.approval.as_ref() != approval);
        self.0.len() < before
    }
}

fn key(call: &FrozenCall) -> Key {
    (
        call.call().name.clone(),
        call.source().path.clone(),
        *call.args_sha256(),
    )
}

/// Tells whether a yes for more than this one call may be given.
pub(super) fn may_last(call: &FrozenCall) -> bool {
    !is_database_write(call)
}

/// Tells whether a call may change a database.
pub(super) fn is_database_write(call: &FrozenCall) -> bool {
    matches!(call.plan().access, Access::Sql { .. }) && !is_query(call)
}

/// Tells whether a call does no more than read.
///
/// An extension's word for it is not enough to let a call go unrecorded.
pub(super) fn only_reads(call: &FrozenCall) -> bool {
    Request::of(call).has_trusted_plan() && (call.plan().access.is_read_only() || is_query(call))
}

fn is_query(call: &FrozenCall) -> bool {
    let class = call.plan().classification.as_ref();
    let reads = class.is_some_and(|found| matches!(found.class.as_str(), "read" | "resource"));
    reads && matches!(call.plan().access, Access::Sql { .. })
}

/// Records a grant that was never used.
pub(super) struct Recorded {
    pub(super) recorder: Arc<Recorder>,
    pub(super) call: Arc<FrozenCall>,
}

impl GrantState for Recorded {
    fn used(&mut self) {}

    fn void(&mut self) {
        self.recorder.void(&self.call);
    }
}
