//! The stages that arguments pass: raw, prepared, validated, frozen, authorized. Each is a type, and
//! each can be reached only from the one before.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use deed_protocol::{SourceInfo, ToolCall};
use deed_schema::{Sha256Hash, ValidatedArgs, canonical_json};
use serde_json::Value;

use crate::EffectPlan;

/// A call whose arguments and context nobody can change any more.
#[derive(Debug)]
pub struct FrozenCall {
    serial: u64,
    call: Arc<ToolCall>,
    source: Arc<SourceInfo>,
    args: ValidatedArgs,
    plan: EffectPlan,
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
            args_sha256: OnceLock::new(),
            context_sha256: OnceLock::new(),
        }
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
        self.context_sha256.get_or_init(|| {
            Sha256Hash::of(&canonical_json(&Value::Object(self.plan.context.0.clone())))
        })
    }
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
pub struct Grant(Option<Box<dyn GrantState>>);

impl Grant {
    /// Makes a grant that reports to `state`.
    pub fn new(state: Box<dyn GrantState>) -> Self {
        Self(Some(state))
    }

    /// Makes a grant that reports to nobody.
    pub fn unrecorded() -> Self {
        Self(None)
    }

    fn use_up(mut self) {
        if let Some(mut state) = self.0.take() {
            state.used();
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if let Some(mut state) = self.0.take() {
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
/// and it runs once:
///
/// ```compile_fail,E0382
/// fn twice(call: deed_agent::AuthorizedCall) {
///     call.begin();
///     call.begin();
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
