//! The stages that arguments pass: raw, prepared, validated, frozen, authorized. Each is a type, and
//! each can be reached only from the one before.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use deed_protocol::{SourceInfo, ToolCall};
use deed_schema::{Sha256Hash, ValidatedArgs};

use crate::{Authority, EffectPlan};

/// A call whose arguments and context nobody can change any more.
#[derive(Debug)]
pub struct FrozenCall {
    serial: u64,
    call: Arc<ToolCall>,
    source: Arc<SourceInfo>,
    args: ValidatedArgs,
    plan: EffectPlan,
    changes: Vec<ArgsChange>,
    args_sha256: OnceLock<Sha256Hash>,
    context_sha256: OnceLock<Sha256Hash>,
}

impl FrozenCall {
    pub(crate) fn new(
        serial: u64,
        call: Arc<ToolCall>,
        source: Arc<SourceInfo>,
        args: ValidatedArgs,
        plan: EffectPlan,
    ) -> Self {
        Self {
            serial,
            call,
            source,
            args,
            plan,
            changes: Vec::new(),
            args_sha256: OnceLock::new(),
            context_sha256: OnceLock::new(),
        }
    }

    pub(crate) fn changed_by(mut self, changes: Vec<ArgsChange>) -> Self {
        self.changes = changes;
        self
    }

    /// Returns a number that no other call of this runner has, even where ids repeat.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// Returns the call as the model wrote it.
    pub fn call(&self) -> &Arc<ToolCall> {
        &self.call
    }

    /// Returns where the tool comes from.
    pub fn source(&self) -> &Arc<SourceInfo> {
        &self.source
    }

    /// Returns the arguments that will run.
    pub fn args(&self) -> &ValidatedArgs {
        &self.args
    }

    /// Returns what the call would touch.
    pub fn plan(&self) -> &EffectPlan {
        &self.plan
    }

    /// Returns the SHA-256 of the canonical form (RFC 8785) of the arguments that will run.
    pub fn args_sha256(&self) -> &Sha256Hash {
        self.args_sha256.get_or_init(|| self.args.sha256())
    }

    /// Returns the SHA-256 of the canonical form of the plan's context.
    pub fn context_sha256(&self) -> &Sha256Hash {
        self.context_sha256
            .get_or_init(|| self.plan.context.sha256())
    }

    /// Returns what hooks did to the arguments, in order.
    pub fn changes(&self) -> &[ArgsChange] {
        &self.changes
    }
}

/// One hook's change of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgsChange {
    /// The hook.
    pub hook: Arc<str>,
    /// The hash of the arguments it was given.
    pub before_sha256: Sha256Hash,
    /// The hash of the arguments it gave.
    pub after_sha256: Sha256Hash,
}

/// Hears what becomes of a [`Grant`].
pub trait GrantState: Send + 'static {
    /// The call began to run.
    fn used(&mut self);

    /// The grant was dropped and the call never ran.
    fn void(&mut self);
}

/// The right to run one call once.
///
/// A gate makes it in `commit`. It cannot be copied; dropped unused, it is void, and its maker
/// hears so.
pub struct Grant {
    state: Option<Box<dyn GrantState>>,
    authority: Authority,
}

impl Grant {
    /// Makes a grant that reports to `state`.
    pub fn new(state: Box<dyn GrantState>, authority: Authority) -> Self {
        Self {
            state: Some(state),
            authority,
        }
    }

    /// Makes a grant that reports to nobody, on nobody's word.
    pub fn unrecorded() -> Self {
        Self {
            state: None,
            authority: Authority::Unchecked,
        }
    }

    pub(crate) fn authority(&self) -> &Authority {
        &self.authority
    }

    fn use_up(mut self) {
        if let Some(mut state) = self.state.take() {
            state.used();
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if let Some(mut state) = self.state.take() {
            // This may run while a panic of the tool unwinds, where a second one ends the process.
            catch_unwind(AssertUnwindSafe(|| state.void())).ok();
        }
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grant")
    }
}

/// A frozen call together with the right to run it once.
///
/// Only the batch runner makes one, and only from what the gate's `commit` returned:
///
/// ```compile_fail,E0451
/// fn forge(frozen: std::sync::Arc<deed_agent::FrozenCall>) -> deed_agent::AuthorizedCall {
///     deed_agent::AuthorizedCall { frozen, grant: deed_agent::Grant::unrecorded() }
/// }
/// ```
///
/// and it runs once, also where two threads have a try at it:
///
/// ```compile_fail,E0382
/// fn twice(call: deed_agent::AuthorizedCall) {
///     std::thread::scope(|threads| {
///         threads.spawn(move || call.begin());
///         threads.spawn(move || call.begin());
///     });
/// }
/// ```
///
/// ```compile_fail,E0599
/// fn copied(call: &deed_agent::AuthorizedCall) -> deed_agent::AuthorizedCall {
///     call.clone()
/// }
/// ```
#[derive(Debug)]
pub struct AuthorizedCall {
    frozen: Arc<FrozenCall>,
    grant: Grant,
}

impl AuthorizedCall {
    pub(crate) fn new(frozen: Arc<FrozenCall>, grant: Grant) -> Self {
        Self { frozen, grant }
    }

    /// Returns the call.
    pub fn frozen(&self) -> &Arc<FrozenCall> {
        &self.frozen
    }

    /// Uses the grant up: from here on the call counts as run.
    pub fn begin(self) -> RunningCall {
        self.grant.use_up();
        RunningCall {
            frozen: self.frozen,
        }
    }
}

/// A call whose grant is used up.
#[derive(Debug)]
pub struct RunningCall {
    frozen: Arc<FrozenCall>,
}

impl RunningCall {
    /// Returns the call.
    pub fn frozen(&self) -> &Arc<FrozenCall> {
        &self.frozen
    }

    /// Returns the arguments to run with.
    pub fn args(&self) -> &ValidatedArgs {
        self.frozen.args()
    }
}
