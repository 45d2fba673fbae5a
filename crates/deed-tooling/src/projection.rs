use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{
    AgentTool, AuthorizedCall, BoxFuture, CallContext, EffectPlan, ToolError, ToolSpec,
};
use deed_protocol::ToolResult;
use deed_schema::{RawArgs, ValidatedArgs};

use crate::{
    ActiveChange, ActiveChanged, ContextSource, HostActions, RegisteredTool, ToolContext,
    ToolDefinition,
};

/// Projects a definition to what the loop knows; calls get their context from `context`.
///
/// Prompt text and cards stay behind; all of the spec is kept.
pub fn wrap_tool_definition(
    definition: Arc<dyn ToolDefinition>,
    context: Arc<dyn ContextSource>,
) -> Arc<dyn AgentTool> {
    let spec = definition.spec().clone();
    Arc::new(Projected {
        definition,
        spec,
        context,
        turn_active: None,
    })
}

/// Projects a registered tool, under the source it was registered with.
///
/// Results get `added_tool_names`: what the call itself made active through its context and what
/// was not in `turn_active`, the active set that the turn began with. If the call also made a tool
/// inactive, there are none. What calls beside it do plays no part, so the order in which they end
/// does not show.
pub fn wrap_registered_tool(
    tool: &RegisteredTool,
    context: Arc<dyn ContextSource>,
    turn_active: Arc<HashSet<Arc<str>>>,
) -> Arc<dyn AgentTool> {
    Arc::new(Projected {
        definition: tool.definition().clone(),
        spec: tool.spec().clone(),
        context,
        turn_active: Some(turn_active),
    })
}

/// Makes the least definition of a bare agent tool: no prompt text, generic cards.
pub fn tool_definition_from_agent_tool(tool: Arc<dyn AgentTool>) -> Arc<dyn ToolDefinition> {
    Arc::new(Lifted(tool))
}

struct Projected {
    definition: Arc<dyn ToolDefinition>,
    spec: ToolSpec,
    context: Arc<dyn ContextSource>,
    turn_active: Option<Arc<HashSet<Arc<str>>>>,
}

impl AgentTool for Projected {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        self.definition.prepare_arguments(raw)
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        self.definition.plan(args)
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let context = ToolContext::new(context, self.context.clone());
        let Some(turn_active) = &self.turn_active else {
            return self.definition.clone().execute(call, context);
        };
        let recorded = Arc::new(RecordedActions {
            context: self.context.clone(),
            turn_active: turn_active.clone(),
            changes: Mutex::default(),
        });
        let context = context.with_actions(recorded.clone());
        let running = self.definition.clone().execute(call, context);
        Box::pin(async move {
            let mut result = running.await?;
            // What a tool says of itself does not count.
            result.added_tool_names = recorded.only_added();
            Ok(result)
        })
    }
}

/// The host's actions, with a record of what one call does to the active set.
struct RecordedActions {
    context: Arc<dyn ContextSource>,
    turn_active: Arc<HashSet<Arc<str>>>,
    changes: Mutex<Changes>,
}

#[derive(Default)]
struct Changes {
    added: Vec<Arc<str>>,
    removed_any: bool,
}

impl RecordedActions {
    fn record(&self, change: &ActiveChange, changed: &ActiveChanged) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        match change {
            ActiveChange::Add(names) => self.record_added(&mut changes, names, changed),
            ActiveChange::Set(names) => {
                changes.added.retain(|name| names.contains(name));
                changes.removed_any |= changed
                    .removed
                    .iter()
                    .any(|name| self.turn_active.contains(name));
                self.record_added(&mut changes, names, changed);
            }
            ActiveChange::Remove(names) => {
                changes.added.retain(|name| !names.contains(name));
                changes.removed_any |= names.iter().any(|name| self.turn_active.contains(name));
            }
        }
    }

    fn record_added(&self, changes: &mut Changes, names: &[Arc<str>], changed: &ActiveChanged) {
        for name in names {
            let is_new = changed.active.contains(name) && !self.turn_active.contains(name);
            if is_new && !changes.added.contains(name) {
                changes.added.push(name.clone());
            }
        }
    }

    /// Returns what the call added; nothing if it also removed something.
    fn only_added(&self) -> Vec<Arc<str>> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let added = std::mem::take(&mut changes.added);
        if changes.removed_any {
            Vec::new()
        } else {
            added
        }
    }
}

impl HostActions for RecordedActions {
    fn abort(&self) {
        self.context.actions().abort();
    }

    fn compact(&self, instructions: Option<&str>) {
        self.context.actions().compact(instructions);
    }

    fn active_tools(&self) -> Vec<Arc<str>> {
        self.context.actions().active_tools()
    }

    fn change_active_tools(&self, change: &ActiveChange) -> ActiveChanged {
        let changed = self.context.actions().change_active_tools(change);
        self.record(change, &changed);
        changed
    }
}

struct Lifted(Arc<dyn AgentTool>);

impl ToolDefinition for Lifted {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        self.0.prepare_arguments(raw)
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        self.0.plan(args)
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        self.0.clone().execute(call, context.call)
    }
}
