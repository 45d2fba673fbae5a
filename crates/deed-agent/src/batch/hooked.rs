//! What hooks do to a call before it is frozen.

use std::sync::Arc;

use deed_protocol::ToolResult;
use deed_schema::{RawArgs, ToolSchema, ValidatedArgs};
use tokio_util::sync::CancellationToken;

use super::early::Early;
use crate::caught::Caught;
use crate::{AgentTool, ArgsChange, BeforeToolCall, EarlyEnd, HookedCall, ToolHook};

/// The hooks that see a call, and whether what they make of its arguments need not fit the schema.
pub(super) struct Chain<'a> {
    pub(super) hooks: &'a [Arc<dyn ToolHook>],
    pub(super) pi_compatible: bool,
}

impl Chain<'_> {
    /// Returns what arguments must fit that a hook gave.
    fn schema(&self, tool: &Arc<dyn AgentTool>) -> ToolSchema {
        if self.pi_compatible {
            ToolSchema::any_object()
        } else {
            tool.spec().parameters.clone()
        }
    }
}

/// Lets each hook see the call as the one before it left it, and returns what they changed.
pub(super) async fn run_before_hooks(
    tool: &Arc<dyn AgentTool>,
    chain: &Chain<'_>,
    hooked: &mut HookedCall,
    cancel: &CancellationToken,
) -> Result<Vec<ArgsChange>, Early> {
    let mut changes = Vec::new();
    for hook in chain.hooks {
        let said = Caught::new(|| hook.before_tool_call(hooked, cancel)).await;
        ensure_live(cancel)?;
        match said {
            Ok(BeforeToolCall::Continue) => {}
            Ok(BeforeToolCall::Replace(raw)) => {
                let args = validate(tool, &chain.schema(tool), &raw, Some(hook.name()))?;
                let change = ArgsChange {
                    hook: hook.name().into(),
                    before_sha256: hooked.args.sha256(),
                    after_sha256: args.sha256(),
                };
                if change.before_sha256 != change.after_sha256 {
                    changes.push(change);
                }
                hooked.args = args;
            }
            Ok(BeforeToolCall::Block { reason, terminate }) => {
                let reason = reason.filter(|reason| !reason.is_empty());
                let text = reason.unwrap_or_else(|| "Tool execution was blocked".to_owned());
                let result = ToolResult {
                    terminate,
                    ..ToolResult::error(text)
                };
                return Err(Early::new(EarlyEnd::Hook, result).by_hook(hook.name()));
            }
            Err(panic) => {
                let text = format!("Blocked: {} failed: {panic}", hook.name());
                return Err(Early::error(EarlyEnd::Hook, text).by_hook(hook.name()));
            }
        }
    }
    ensure_confirmed(hooked, &changes)?;
    Ok(changes)
}

/// Refuses arguments other than those that a person said yes to.
fn ensure_confirmed(hooked: &HookedCall, changes: &[ArgsChange]) -> Result<(), Early> {
    let Some(hook) = hooked.confirmations.contradicting(&hooked.args) else {
        return Ok(());
    };
    let by = changes.last().map_or("it", |change| change.hook.as_ref());
    let text = format!(
        "Not run: a person said yes to other arguments than those that would run now: {by} changed \
         them after {hook} had asked. Make the call again with the arguments that are meant."
    );
    Err(Early::error(EarlyEnd::Confirmation, text).by_hook(&hook))
}

pub(super) fn ensure_live(cancel: &CancellationToken) -> Result<(), Early> {
    if cancel.is_cancelled() {
        Err(Early::cancelled())
    } else {
        Ok(())
    }
}

/// Validates, naming the hook that gave the arguments, if one did.
pub(super) fn validate(
    tool: &Arc<dyn AgentTool>,
    schema: &ToolSchema,
    raw: &RawArgs,
    hook: Option<&str>,
) -> Result<ValidatedArgs, Early> {
    schema.validate(raw).map_err(|faults| {
        let text = faults.describe(&tool.spec().name, raw);
        match hook {
            Some(hook) => Early::error(
                EarlyEnd::Hook,
                format!("{hook} changed the arguments to invalid ones. {text}"),
            )
            .by_hook(hook),
            None => Early::error(EarlyEnd::Arguments, text),
        }
    })
}
