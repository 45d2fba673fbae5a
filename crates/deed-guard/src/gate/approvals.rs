use std::collections::HashMap;
use std::sync::Arc;

use deed_agent::{Approval, FrozenCall};
use deed_schema::Sha256Hash;

/// Each yes of a person to one call, until it is used.
///
/// A yes whose call is never committed stays here and is of no use to any other.
#[derive(Debug, Default)]
pub(super) struct Approvals(HashMap<Arc<str>, Bound>);

/// What a yes is bound to.
#[derive(Debug, PartialEq, Eq)]
struct Bound {
    serial: u64,
    call_id: Arc<str>,
    args_sha256: Sha256Hash,
}

impl Bound {
    fn to(call: &FrozenCall) -> Self {
        Self {
            serial: call.serial(),
            call_id: call.call().id.clone(),
            args_sha256: *call.args_sha256(),
        }
    }
}

impl Approvals {
    pub(super) fn add(&mut self, approval: Arc<str>, call: &FrozenCall) {
        self.0.insert(approval, Bound::to(call));
    }

    /// Uses a yes up; tells whether it was one, to exactly this call.
    pub(super) fn take(&mut self, approval: &Approval, call: &FrozenCall) -> bool {
        self.0.remove(&approval.0) == Some(Bound::to(call))
    }
}
