//! Events on their way into a script and its answers on their way back.
//!
//! A script has one handler here for each event that it wants, whatever the number of its own.

mod messages;
mod outside;
mod run;
mod session;
mod tools;
mod wire;

pub(crate) use session::model;

use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_extensions::{
    ExtensionApi, ExtensionContext, ExtensionError, ExtensionEvent, SessionShutdownEvent,
    Subscription,
};
use serde_json::{Map, Value, json};

use crate::bridge::Bridge;
use crate::ops::Scope;
use crate::running::Running;

/// An event that scripts know.
pub(crate) trait Bridged: ExtensionEvent {
    /// Writes it as scripts see it, without its type.
    fn wire(&self, bridge: &Bridge) -> Value;

    /// Brings the answer of a script into it.
    ///
    /// Errors: the answer means nothing.
    fn answer(&mut self, answer: Value) -> Result<Self::Reply, String>;

    /// As [`Bridged::answer`], for an answer that leads back into the script.
    fn answer_in(&mut self, answer: Value, bridge: &Arc<Bridge>) -> Result<Self::Reply, String> {
        let _ = bridge;
        self.answer(answer)
    }

    /// Says for whom the handlers run.
    fn scope(&self, context: &ExtensionContext) -> Scope {
        Scope::Handler(context.clone())
    }

    /// Whether one that fails has a say all the same.
    const IS_GUARD: bool = false;
}

type Subscribe = fn(&ExtensionApi, &Arc<Running>) -> Result<Subscription, ExtensionError>;

/// All events of the session that scripts can hear of.
const EVENTS: &[(&str, Subscribe)] = &[
    ("agent_start", subscribe::<deed_extensions::AgentStartEvent>),
    ("agent_end", subscribe::<deed_extensions::AgentEndEvent>),
    (
        "agent_settled",
        subscribe::<deed_extensions::AgentSettledEvent>,
    ),
    ("turn_start", subscribe::<deed_extensions::TurnStartEvent>),
    ("turn_end", subscribe::<deed_extensions::TurnEndEvent>),
    (
        "message_start",
        subscribe::<deed_extensions::MessageStartEvent>,
    ),
    (
        "message_update",
        subscribe::<deed_extensions::MessageUpdateEvent>,
    ),
    ("message_end", subscribe::<deed_extensions::MessageEndEvent>),
    ("context", subscribe::<deed_extensions::ContextEvent>),
    ("input", subscribe::<deed_extensions::InputEvent>),
    (
        "before_agent_start",
        subscribe::<deed_extensions::BeforeAgentStartEvent>,
    ),
    (
        "session_start",
        subscribe::<deed_extensions::SessionStartEvent>,
    ),
    ("session_shutdown", subscribe::<SessionShutdownEvent>),
    (
        "session_before_switch",
        subscribe::<deed_extensions::SessionBeforeSwitchEvent>,
    ),
    (
        "session_before_fork",
        subscribe::<deed_extensions::SessionBeforeForkEvent>,
    ),
    (
        "session_before_compact",
        subscribe::<deed_extensions::SessionBeforeCompactEvent>,
    ),
    (
        "session_compact",
        subscribe::<deed_extensions::SessionCompactEvent>,
    ),
    (
        "session_compact_failed",
        subscribe::<deed_extensions::SessionCompactFailedEvent>,
    ),
    (
        "session_info_changed",
        subscribe::<deed_extensions::SessionInfoChangedEvent>,
    ),
    (
        "model_select",
        subscribe::<deed_extensions::ModelSelectEvent>,
    ),
    (
        "thinking_level_select",
        subscribe::<deed_extensions::ThinkingLevelSelectEvent>,
    ),
    ("tool_call", subscribe::<deed_extensions::ToolCallEvent>),
    ("tool_result", subscribe::<deed_extensions::ToolResultEvent>),
    (
        "tool_execution_start",
        subscribe::<deed_extensions::ToolExecutionStartEvent>,
    ),
    (
        "tool_execution_update",
        subscribe::<deed_extensions::ToolExecutionUpdateEvent>,
    ),
    (
        "tool_execution_end",
        subscribe::<deed_extensions::ToolExecutionEndEvent>,
    ),
    ("user_bash", subscribe::<deed_extensions::UserBashEvent>),
    (
        "resources_discover",
        subscribe::<deed_extensions::ResourcesDiscoverEvent>,
    ),
    (
        "project_trust",
        subscribe::<deed_extensions::ProjectTrustEvent>,
    ),
    (
        "before_provider_headers",
        subscribe::<deed_extensions::BeforeProviderHeadersEvent>,
    ),
    (
        "before_provider_request",
        subscribe::<deed_extensions::BeforeProviderRequestEvent>,
    ),
    (
        "after_provider_response",
        subscribe::<deed_extensions::AfterProviderResponseEvent>,
    ),
    (
        "ui_prompt_start",
        subscribe::<deed_extensions::UiPromptStartEvent>,
    ),
    (
        "ui_prompt_end",
        subscribe::<deed_extensions::UiPromptEndEvent>,
    ),
];

/// Returns the name of an event as all of the program has it, if the session tells of it.
pub(crate) fn known(event: &str) -> Option<&'static str> {
    let row = EVENTS.iter().find(|(name, _)| *name == event);
    row.map(|(name, _)| *name)
}

/// Lets a script hear of an event; `None` if the session does not tell of it.
pub(crate) fn listen(
    event: &str,
    api: &ExtensionApi,
    running: &Arc<Running>,
) -> Option<Result<Subscription, ExtensionError>> {
    let row = EVENTS.iter().find(|(name, _)| *name == event);
    row.map(|(_, subscribe)| subscribe(api, running))
}

fn subscribe<E: Bridged>(
    api: &ExtensionApi,
    running: &Arc<Running>,
) -> Result<Subscription, ExtensionError> {
    let running = running.clone();
    api.on::<E>(move |event, context| dispatch(running.clone(), event, context))
}

fn dispatch<'a, E: Bridged>(
    running: Arc<Running>,
    event: &'a mut E,
    context: &'a ExtensionContext,
) -> BoxFuture<'a, Result<E::Reply, ExtensionError>> {
    Box::pin(async move {
        // A dead guard is asked all the same, and fails; others that are disabled have said so once.
        if !running.wants(E::NAME) || (!E::IS_GUARD && running.disabled().is_some()) {
            return Ok(E::Reply::default());
        }
        let mut wire = event.wire(&running.bridge);
        if let Some(object) = wire.as_object_mut() {
            object.shift_insert(0, "type".to_owned(), E::NAME.into());
        }
        let scope = running.bridge.open(event.scope(context));
        let args = vec![E::NAME.to_owned(), wire.to_string(), scope.id.clone()];
        let answer = running
            .call("event", args)
            .await
            .map_err(ExtensionError::new)?;
        let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
            return Ok(E::Reply::default());
        };
        let answer: Value = serde_json::from_str(&answer).map_err(ExtensionError::new)?;
        if answer.is_null() {
            return Ok(E::Reply::default());
        }
        let answered = event.answer_in(answer, &running.bridge);
        answered.map_err(|why| format!("the answer to {} makes no sense: {why}", E::NAME).into())
    })
}

/// Ends the engine when the session ends, after the script's own handlers.
pub(crate) fn close_with_session(
    api: &ExtensionApi,
    running: &Arc<Running>,
) -> Result<(), ExtensionError> {
    let closing = running.clone();
    api.on(move |_: &mut SessionShutdownEvent, _| {
        closing.close();
        Box::pin(async { Ok(()) })
    })?;
    Ok(())
}

/// Returns what the system prompt is made of, as far as scripts can change it: sections are added to
/// it, by any name.
pub(crate) fn prompt_options(bridge: &Bridge) -> Value {
    let active = bridge.api.get().and_then(|api| api.get_active_tools().ok());
    json!({
        "cwd": bridge.options.cwd,
        "selectedTools": active.unwrap_or_default(),
        "skills": [],
        "sections": Map::new(),
    })
}
