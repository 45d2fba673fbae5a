use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use deed_protocol::{SourceInfo, ToolResult};
use deed_schema::{RawArgs, ToolSchema, ValidatedArgs};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    Authority, AuthorizedCall, BoxFuture, EffectPlan, FrozenCall, Redactor, ToolError, UpdateSink,
};

/// What the loop knows of a tool.
///
/// The runner calls `prepare_arguments` and `plan` before any call of the batch runs, those of
/// different calls possibly at once, and `execute` once at most, only with an authorization. Implementors keep no state of a call in `self`.
pub trait AgentTool: Send + Sync + 'static {
    /// Returns name, schema and the other fixed facts.
    fn spec(&self) -> &ToolSpec;

    /// Brings arguments of a known wrong shape into the right one; by default leaves them alone.
    ///
    /// The outcome is always validated.
    ///
    /// Errors: become the result of the call.
    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        Box::pin(async move { Ok(raw) })
    }

    /// Says what the call would touch, without touching anything; by default
    /// [`EffectPlan::opaque`], which asks and counts as an effect.
    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        let plan = EffectPlan::opaque(&self.spec().name, args);
        Box::pin(async move { Ok(plan) })
    }

    /// Does it.
    ///
    /// What stands before the returned future runs on the dispatcher, in call order, and must not
    /// block; a tool that changes files takes its place in the mutation queue there.
    ///
    /// Errors: become the result of the call; so does a panic.
    ///
    /// Cancellation: the token of the context; five seconds later (setting) the future is dropped
    /// and the outcome counts as unknown.
    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>>;
}

/// The fixed facts of a tool.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// What models call it by, exactly.
    pub name: Arc<str>,
    /// What people see.
    pub label: Arc<str>,
    /// What models read about it.
    pub description: Arc<str>,
    /// What arguments it takes.
    pub parameters: ToolSchema,
    /// How strictly a provider should hold the model to the schema.
    pub constrained_sampling: ConstrainedSampling,
    /// Whether its batch runs one by one; `None` follows the setting of the loop.
    pub execution_mode: Option<ExecutionMode>,
    /// What to do with a call whose outcome a crash has left unknown.
    pub replay: Replay,
    /// Where it comes from.
    pub source: Arc<SourceInfo>,
    /// The word in front of the parenthesis of a rule that its plans say, such as `Read` or `Bash`.
    pub policy_name: Arc<str>,
}

impl ToolSpec {
    /// Makes a spec whose label and policy name are the name and whose other facts are the defaults.
    pub fn new(name: &str, description: &str, parameters: ToolSchema) -> Self {
        Self {
            name: name.into(),
            label: name.into(),
            description: description.into(),
            parameters,
            constrained_sampling: ConstrainedSampling::Off,
            execution_mode: None,
            replay: Replay::Never,
            source: Arc::new(SourceInfo::sdk(name)),
            policy_name: name.into(),
        }
    }
}

/// How strictly a provider should hold the model to a tool's schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ConstrainedSampling {
    /// Not at all.
    #[default]
    Off,
    /// By the schema in its strict form.
    JsonSchema(Strictness),
    /// By a grammar for the one string argument.
    Grammar {
        /// In Lark form.
        lark: Option<String>,
        /// As a regular expression.
        regex: Option<String>,
    },
}

/// What to do where a provider cannot be strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Send the plain schema.
    Prefer,
    /// Fail.
    Require,
}

/// Whether the calls of a batch run one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionMode {
    /// One after the other, in call order.
    Sequential,
    /// All at once.
    #[default]
    Parallel,
}

/// What to do with a call whose outcome a crash has left unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replay {
    /// Answer it with an error that says so.
    #[default]
    Never,
    /// Run it again through the whole pipeline.
    Safe,
}

/// What a running call may use.
#[derive(Clone)]
pub struct CallContext {
    /// The call.
    pub call_id: Arc<str>,
    /// Tells when to stop.
    pub cancel: CancellationToken,
    /// Takes what there is to show on the way.
    pub updates: UpdateSink,
    /// Takes known secrets out of output.
    pub redactor: Arc<dyn Redactor>,
    // Not public, so that no tool can put on a context what no gate said.
    pub(crate) frozen: Arc<FrozenCall>,
    pub(crate) authority: Authority,
    pub(crate) next_serial: Arc<AtomicU64>,
}

impl CallContext {
    /// Returns the call as it was decided on, with what it was to touch.
    pub fn frozen(&self) -> &Arc<FrozenCall> {
        &self.frozen
    }

    /// Tells on whose word the call runs.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("call_id", &self.call_id)
            .finish_non_exhaustive()
    }
}

/// The tools of one turn, in order, found by name.
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Vec<Arc<dyn AgentTool>>,
    by_name: HashMap<Arc<str>, usize>,
}

impl ToolSet {
    /// Collects tools; of several with one name the last stands, in the place of the first.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn AgentTool>>) -> Self {
        let mut set = Self::default();
        for tool in tools {
            let name = tool.spec().name.clone();
            match set.by_name.get(&name).and_then(|at| set.tools.get_mut(*at)) {
                Some(slot) => *slot = tool,
                None => {
                    set.by_name.insert(name, set.tools.len());
                    set.tools.push(tool);
                }
            }
        }
        set
    }

    /// Finds a tool by its exact name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn AgentTool>> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    /// Returns the tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn AgentTool>> {
        self.tools.iter()
    }

    /// Returns the names in order.
    pub fn names(&self) -> Vec<Arc<str>> {
        self.tools
            .iter()
            .map(|tool| tool.spec().name.clone())
            .collect()
    }

    /// Tells how many there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
