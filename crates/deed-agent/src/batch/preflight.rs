use std::sync::Arc;

use deed_protocol::{ToolCall, ToolResult};
use deed_schema::{RawArgs, ValidatedArgs};
use tokio_util::sync::CancellationToken;

use super::answer::aborted_result;
use super::{Batch, BatchRunner, Slot};
use crate::caught::Caught;
use crate::grace::within_grace;
use crate::{AgentTool, BeforeToolCall, FrozenCall, HookedCall, ToolHook, Verdict};

const CUT_SHORT: &str = "Not executed: the response was cut off at the output token limit, so the \
     arguments of this call may be incomplete. Make the call again, with less text if need be.";

/// What a call is after everything that happens before it may run.
pub(super) enum Preflight {
    /// It has its result already.
    Immediate(Box<ToolResult>),
    /// It is frozen and decided on.
    Ready(Box<Ready>),
}

/// A frozen call with what is needed to run it.
pub(super) struct Ready {
    pub(super) index: usize,
    pub(super) call: Arc<ToolCall>,
    pub(super) tool: Arc<dyn AgentTool>,
    pub(super) hooks: Vec<Arc<dyn ToolHook>>,
    pub(super) hooked: HookedCall,
    pub(super) frozen: Arc<FrozenCall>,
    pub(super) verdict: Verdict,
}

/// The result with which a call ends early.
struct Early(Box<ToolResult>);

impl<E: std::fmt::Display> From<E> for Early {
    fn from(error: E) -> Self {
        Self::of(ToolResult::error(error.to_string()))
    }
}

impl Early {
    fn of(result: ToolResult) -> Self {
        Self(Box::new(result))
    }
}

impl BatchRunner {
    /// Looks the tool up, prepares and validates the arguments, lets hooks see them, plans, freezes
    /// and decides. Every fault on the way is a result.
    pub(super) async fn preflight(
        &self,
        batch: &Batch,
        slot: &Slot,
        was_cut: bool,
        cancel: &CancellationToken,
    ) -> Preflight {
        if was_cut {
            return Preflight::Immediate(Box::new(ToolResult::error(CUT_SHORT)));
        }
        let steps = Caught::new(|| Box::pin(self.preflight_steps(batch, slot, cancel)));
        // Nothing has happened yet, so what does not stop can be dropped.
        match within_grace(cancel, self.seams.limits.cancel_grace, steps).await {
            None => Preflight::Immediate(Box::new(aborted_result())),
            Some(Ok(Ok(ready))) => Preflight::Ready(Box::new(ready)),
            Some(Ok(Err(Early(result)))) => Preflight::Immediate(result),
            Some(Err(panic)) => {
                Preflight::Immediate(Early::from(format!("The tool panicked: {panic}")).0)
            }
        }
    }

    async fn preflight_steps(
        &self,
        batch: &Batch,
        slot: &Slot,
        cancel: &CancellationToken,
    ) -> Result<Ready, Early> {
        ensure_live(cancel)?;
        let tool = find_tool(batch, &slot.call)?;
        let args = prepare_and_validate(&tool, &slot.call).await?;
        let hooks = self.seams.hooks.tool_hooks();
        let mut hooked = HookedCall {
            assistant: batch.assistant.clone(),
            call: slot.call.clone(),
            args,
        };
        run_before_hooks(&tool, &hooks, &mut hooked, cancel).await?;
        let plan = tool.plan(&hooked.args).await?;
        let frozen = Arc::new(FrozenCall::new(
            self.serial(),
            slot.call.clone(),
            tool.spec().source.clone(),
            hooked.args.clone(),
            plan,
        ));
        let verdict = self.seams.gate.decide(&frozen).await;
        ensure_live(cancel)?;
        let (index, call) = (slot.index, slot.call.clone());
        Ok(Ready {
            index,
            call,
            tool,
            hooks,
            hooked,
            frozen,
            verdict,
        })
    }
}

fn ensure_live(cancel: &CancellationToken) -> Result<(), Early> {
    if cancel.is_cancelled() {
        Err(Early::of(aborted_result()))
    } else {
        Ok(())
    }
}

fn find_tool(batch: &Batch, call: &ToolCall) -> Result<Arc<dyn AgentTool>, Early> {
    if let Some(tool) = batch.tools.get(&call.name) {
        return Ok(tool.clone());
    }
    let names = batch.tools.names().join(", ");
    let hint = if names.is_empty() {
        "no tools are active".to_owned()
    } else {
        names
    };
    Err(Early::from(format!(
        "Tool {} not found\n\nActive tools: {hint}",
        call.name
    )))
}

async fn prepare_and_validate(
    tool: &Arc<dyn AgentTool>,
    call: &ToolCall,
) -> Result<ValidatedArgs, Early> {
    let raw = RawArgs(call.arguments.clone());
    if let Some(fault) = &call.arguments_error {
        return Err(Early::of(ToolResult::error(format!(
            "The arguments of this call to {} are not a JSON object: {fault}",
            call.name
        ))));
    }
    let prepared = tool.prepare_arguments(raw).await?;
    validate(tool, &prepared, None)
}

/// Validates, naming the hook that gave the arguments, if one did.
fn validate(
    tool: &Arc<dyn AgentTool>,
    raw: &RawArgs,
    hook: Option<&str>,
) -> Result<ValidatedArgs, Early> {
    let spec = tool.spec();
    spec.parameters.validate(raw).map_err(|faults| {
        let text = faults.describe(&spec.name, raw);
        Early::of(ToolResult::error(match hook {
            Some(hook) => format!("{hook} changed the arguments to invalid ones. {text}"),
            None => text,
        }))
    })
}

async fn run_before_hooks(
    tool: &Arc<dyn AgentTool>,
    hooks: &[Arc<dyn ToolHook>],
    hooked: &mut HookedCall,
    cancel: &CancellationToken,
) -> Result<(), Early> {
    for hook in hooks {
        let said = Caught::new(|| hook.before_tool_call(hooked, cancel)).await;
        ensure_live(cancel)?;
        match said {
            Ok(BeforeToolCall::Continue) => {}
            Ok(BeforeToolCall::Replace(raw)) => {
                hooked.args = validate(tool, &raw, Some(hook.name()))?;
            }
            Ok(BeforeToolCall::Block { reason, terminate }) => {
                let reason = reason.filter(|reason| !reason.is_empty());
                let text = reason.unwrap_or_else(|| "Tool execution was blocked".to_owned());
                return Err(Early::of(ToolResult {
                    terminate,
                    ..ToolResult::error(text)
                }));
            }
            Err(panic) => {
                let text = format!("Blocked: {} failed: {panic}", hook.name());
                return Err(Early::of(ToolResult::error(text)));
            }
        }
    }
    Ok(())
}
