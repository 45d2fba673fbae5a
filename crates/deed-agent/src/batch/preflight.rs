use std::sync::Arc;

use deed_protocol::{StopReason, ToolCall};
use deed_schema::{RawArgs, ValidatedArgs};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::early::Early;
use super::execute::AbortOnDrop;
use super::hooked::{Chain, ensure_live, run_before_hooks, validate};
use super::{Batch, BatchRunner, Slot};
use crate::caught::{Caught, panic_text};
use crate::grace::within_grace;
use crate::hooks::Confirmations;
use crate::{
    AgentTool, ArgsChange, EarlyEnd, EffectPlan, FrozenCall, HookedCall, ToolError, ToolHook,
    ToolSet, Verdict,
};

const CUT_SHORT: &str = "Not executed: the response was cut off at the output token limit, so the \
     arguments of this call may be incomplete. Make the call again, with less text if need be.";

/// What a call is after everything that happens before it may run.
pub(super) enum Preflight {
    /// It has its result already.
    Early(Early),
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
            return Preflight::Early(Early::error(EarlyEnd::CutShort, CUT_SHORT));
        }
        let steps = Caught::new(|| Box::pin(self.preflight_steps(batch, slot, ahead, cancel)));
        // Nothing has happened yet, so what does not stop can be dropped.
        match within_grace(cancel, self.seams.limits.cancel_grace, steps).await {
            None => Preflight::Early(Early::cancelled()),
            Some(Ok(Ok(ready))) => Preflight::Ready(Box::new(ready)),
            Some(Ok(Err(early))) => Preflight::Early(early),
            Some(Err(panic)) => Preflight::Early(Early::panicked(&panic)),
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
                let plan = tool.plan(&args).await.map_err(no_plan)?;
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
        let Drafted { draft, changes } = match ahead {
            Some(planning) => Drafted::unchanged(planning.await.map_err(fault_of_task)??),
            None => {
                let chain = Chain {
                    hooks: &hooks,
                    pi_compatible: self.seams.limits.pi_compatible_hooks,
                };
                draft(batch, slot, &chain, cancel).await?
            }
        };
        let Draft { tool, args, plan } = draft;
        let hooked = hooked(batch, slot, args);
        let frozen = Arc::new(
            FrozenCall::new(
                self.serial(),
                slot.call.clone(),
                tool.spec().source.clone(),
                hooked.args.clone(),
                plan,
            )
            .changed_by(changes),
        );
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

/// A draft, and what hooks changed on the way to it.
struct Drafted {
    draft: Draft,
    changes: Vec<ArgsChange>,
}

impl Drafted {
    fn unchanged(draft: Draft) -> Self {
        Self {
            draft,
            changes: Vec::new(),
        }
    }
}

/// Checks a call, lets hooks see it, and plans what they left.
async fn draft(
    batch: &Batch,
    slot: &Slot,
    chain: &Chain<'_>,
    cancel: &CancellationToken,
) -> Result<Drafted, Early> {
    let (tool, args) = check(&batch.tools, &slot.call).await?;
    let mut hooked = hooked(batch, slot, args);
    let changes = run_before_hooks(&tool, chain, &mut hooked, cancel).await?;
    let plan = tool.plan(&hooked.args).await.map_err(no_plan)?;
    let args = hooked.args;
    Ok(Drafted {
        draft: Draft { tool, args, plan },
        changes,
    })
}

fn hooked(batch: &Batch, slot: &Slot, args: ValidatedArgs) -> HookedCall {
    HookedCall {
        assistant: batch.assistant.clone(),
        call: slot.call.clone(),
        args,
        confirmations: Confirmations::default(),
    }
}

fn no_plan(error: ToolError) -> Early {
    Early::error(EarlyEnd::Plan, error.to_string())
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
        Ok(panic) => Early::panicked(&panic_text(panic.as_ref())),
        Err(_) => Early::cancelled(),
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
    let text = format!("Tool {} not found\n\nActive tools: {hint}", call.name);
    Err(Early::error(EarlyEnd::Lookup, text))
}

async fn prepare_and_validate(
    tool: &Arc<dyn AgentTool>,
    call: &ToolCall,
) -> Result<ValidatedArgs, Early> {
    let raw = RawArgs(call.arguments.clone());
    if let Some(fault) = &call.arguments_error {
        let text = format!(
            "The arguments of this call to {} are not a JSON object: {fault}",
            call.name
        );
        return Err(Early::error(EarlyEnd::Arguments, text));
    }
    let preparing = tool.prepare_arguments(raw).await;
    let prepared =
        preparing.map_err(|error| Early::error(EarlyEnd::Arguments, error.to_string()))?;
    validate(tool, &tool.spec().parameters, &prepared, None)
}
