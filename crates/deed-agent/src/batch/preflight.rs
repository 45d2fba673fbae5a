use std::sync::Arc;

use deed_protocol::{StopReason, ToolCall, ToolResult};
use deed_schema::{RawArgs, ValidatedArgs};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::answer::aborted_result;
use super::execute::AbortOnDrop;
use super::{Batch, BatchRunner, Slot};
use crate::caught::{Caught, panic_text};
use crate::grace::within_grace;
use crate::{
    AgentTool, BeforeToolCall, EffectPlan, FrozenCall, HookedCall, ToolHook, ToolSet, Verdict,
};

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

/// A call that is checked and planned while calls before it still are.
pub(super) type Ahead = AbortOnDrop<Result<Draft, Early>>;

/// A checked call and what it would touch.
pub(super) struct Draft {
    tool: Arc<dyn AgentTool>,
    args: ValidatedArgs,
    plan: EffectPlan,
}

/// The result with which a call ends early.
pub(super) struct Early(Box<ToolResult>);

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
        ahead: Option<Ahead>,
        cancel: &CancellationToken,
    ) -> Preflight {
        if was_cut(batch) {
            return Preflight::Immediate(Box::new(ToolResult::error(CUT_SHORT)));
        }
        let steps = Caught::new(|| Box::pin(self.preflight_steps(batch, slot, ahead, cancel)));
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

    /// Begins to plan all calls of a batch at once, where no hook may change one of them: planning
    /// has no effect, and waiting for one plan after the other is most of what many reads take.
    pub(super) fn plan_ahead(&self, batch: &Batch, slots: &[Slot]) -> Vec<Option<Ahead>> {
        let no_gain = slots.len() < 2 || was_cut(batch);
        if no_gain || !self.seams.hooks.tool_hooks().is_empty() {
            return slots.iter().map(|_| None).collect();
        }
        let plan = |slot: &Slot| {
            let (tools, call) = (batch.tools.clone(), slot.call.clone());
            Some(AbortOnDrop(tokio::spawn(async move {
                let (tool, args) = check(&tools, &call).await?;
                let plan = tool.plan(&args).await?;
                Ok(Draft { tool, args, plan })
            })))
        };
        slots.iter().map(plan).collect()
    }

    async fn preflight_steps(
        &self,
        batch: &Batch,
        slot: &Slot,
        ahead: Option<Ahead>,
        cancel: &CancellationToken,
    ) -> Result<Ready, Early> {
        ensure_live(cancel)?;
        let hooks = self.seams.hooks.tool_hooks();
        // A hook that came since the batch began must see the call all the same.
        let ahead = ahead.filter(|_| hooks.is_empty());
        let Draft { tool, args, plan } = match ahead {
            Some(planning) => planning.await.map_err(fault_of_task)??,
            None => {
                let (tool, args) = check(&batch.tools, &slot.call).await?;
                let mut hooked = HookedCall {
                    assistant: batch.assistant.clone(),
                    call: slot.call.clone(),
                    args,
                };
                run_before_hooks(&tool, &hooks, &mut hooked, cancel).await?;
                let plan = tool.plan(&hooked.args).await?;
                let args = hooked.args;
                Draft { tool, args, plan }
            }
        };
        let hooked = HookedCall {
            assistant: batch.assistant.clone(),
            call: slot.call.clone(),
            args,
        };
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

fn was_cut(batch: &Batch) -> bool {
    let assistant = batch.assistant.as_assistant();
    assistant.is_some_and(|message| message.stop_reason == StopReason::Length)
}

/// Looks the tool up and makes validated arguments.
async fn check(
    tools: &ToolSet,
    call: &ToolCall,
) -> Result<(Arc<dyn AgentTool>, ValidatedArgs), Early> {
    let tool = find_tool(tools, call)?;
    let args = prepare_and_validate(&tool, call).await?;
    Ok((tool, args))
}

fn fault_of_task(error: JoinError) -> Early {
    match error.try_into_panic() {
        Ok(panic) => Early::from(format!("The tool panicked: {}", panic_text(panic.as_ref()))),
        Err(_) => Early::of(aborted_result()),
    }
}

fn find_tool(tools: &ToolSet, call: &ToolCall) -> Result<Arc<dyn AgentTool>, Early> {
    if let Some(tool) = tools.get(&call.name) {
        return Ok(tool.clone());
    }
    let names = tools.names().join(", ");
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
