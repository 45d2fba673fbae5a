use std::future::pending;
use std::sync::Arc;

use deed_agent::{BeforeToolCall, BoxFuture, Caught, HookedCall, ResultPatch, ToolHook};
use deed_protocol::ToolResult;
use deed_schema::RawArgs;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::failure::Fault;
use crate::handler::Handler;
use crate::host::{Core, ExtensionHost, Loaded};
use crate::scope::GuardScope;
use crate::{
    ExtensionContext, ExtensionEvent, InputCell, ToolCallEvent, ToolCallReply, ToolResultEvent,
};

impl ExtensionHost {
    /// Returns the chain of this moment: a link for each extension with guards, and one for the
    /// handlers of results.
    pub(crate) fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        let mut hooks: Vec<Arc<dyn ToolHook>> = Vec::new();
        for extension in self.0.extensions().iter() {
            let guards = extension.handlers.of::<ToolCallEvent>();
            if !guards.is_empty() {
                hooks.push(Arc::new(GuardLink {
                    core: self.0.clone(),
                    extension: extension.clone(),
                    guards,
                }));
            }
        }
        if !self.0.listeners::<ToolResultEvent>().is_empty() {
            hooks.push(Arc::new(ResultLink(self.0.clone())));
        }
        hooks
    }
}

/// The guards of one extension, as they were when the call came. Arguments that they change are
/// validated behind the link, so that a fault names the extension.
struct GuardLink {
    core: Arc<Core>,
    extension: Arc<Loaded>,
    guards: Vec<Handler<ToolCallEvent>>,
}

impl ToolHook for GuardLink {
    fn name(&self) -> &str {
        &self.extension.name
    }

    fn before_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        Box::pin(async move {
            let mut input = call.args.value().clone();
            for guard in &self.guards {
                let reply = match self.ask(guard, call, &mut input, cancel).await {
                    Ok(reply) => reply,
                    Err(fault) => self.failed(call, &fault),
                };
                if let ToolCallReply::Block { reason, terminate } = reply {
                    return BeforeToolCall::Block { reason, terminate };
                }
            }
            if input == *call.args.value() {
                BeforeToolCall::Continue
            } else {
                BeforeToolCall::Replace(RawArgs::from_value(&input))
            }
        })
    }
}

impl GuardLink {
    /// Asks one guard, within its own time.
    async fn ask(
        &self,
        guard: &Handler<ToolCallEvent>,
        call: &HookedCall,
        input: &mut Arc<Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolCallReply, Fault> {
        // A cell for each guard: what one keeps of the event changes nothing behind its back.
        let cell = InputCell::new(input.clone());
        let mut event = ToolCallEvent {
            tool_name: call.call.name.clone(),
            tool_call_id: call.call.id.clone(),
            input: cell.clone(),
        };
        let scope = GuardScope::new(cell.clone());
        let session = self.core.session.clone();
        let context = ExtensionContext::new(session, cancel.clone(), Some(scope.clone()));
        let limit = self.core.options.guard_time;
        let asking = Caught::new(|| guard(&mut event, &context));
        let said = scope.clone().run(limit, asking).await;
        for shown in scope.take_confirmed() {
            call.note_confirmed(&self.extension.name, &shown);
        }
        let reply = match said {
            None => {
                return Err(Fault::TimedOut(format!(
                    "it did not decide within {} s of its own time; nobody refused the call",
                    limit.as_secs_f64()
                )));
            }
            Some(Err(panic)) => return Err(Fault::Panic(panic)),
            Some(Ok(said)) => said.map_err(Fault::Error)?,
        };
        *input = cell.get();
        Ok(reply)
    }

    fn failed(&self, call: &HookedCall, fault: &Fault) -> ToolCallReply {
        let id = call.call.id.clone();
        let name = &self.extension.name;
        self.core
            .report(&self.extension, ToolCallEvent::NAME, fault, Some(id));
        ToolCallReply::block(match fault {
            Fault::TimedOut(_) => format!("Blocked: the guard of {name} ran out of time: {fault}"),
            _ => format!("Blocked: the guard of {name} failed: {fault}"),
        })
    }
}

/// The handlers of results of all extensions.
struct ResultLink(Arc<Core>);

impl ToolHook for ResultLink {
    fn name(&self) -> &str {
        "extensions"
    }

    fn after_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        result: &'a ToolResult,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ResultPatch, String>> {
        Box::pin(async move {
            let mut event = ToolResultEvent {
                tool_name: call.call.name.clone(),
                tool_call_id: call.call.id.clone(),
                input: call.args.value().clone(),
                content: result.content.clone(),
                details: result.details.clone(),
                is_error: result.is_error,
                usage: result.usage.clone(),
                terminate: result.terminate,
            };
            let context = self.0.context(cancel);
            let take = |event: &mut ToolResultEvent, patch| {
                event.apply(patch);
                Core::go_on()
            };
            // The core lets go of those that hang after a cancellation, and withholds the result.
            self.0.dispatch(&mut event, &context, pending(), take).await;
            Ok(event.into_patch(result))
        })
    }
}
