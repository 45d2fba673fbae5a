//! What extensions are asked and told of what a session reaches beyond its tools: providers, people,
//! commands of theirs, folders.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use deed_agent::Caught;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Core, ExtensionHost};
use crate::failure::Fault;
use crate::{
    AfterProviderResponseEvent, BeforeProviderHeadersEvent, BeforeProviderRequestEvent,
    DiscoveredResources, ExtensionEvent, ProjectTrustEvent, ProjectTrustReply,
    ResourcesDiscoverEvent, StartReason, TrustAnswer, UiPromptEndEvent, UiPromptKind,
    UiPromptStartEvent, UserBashEvent, UserBashReply,
};

impl ExtensionHost {
    /// Asks for skills, templates and themes that extensions bring; all that they name counts.
    pub async fn discover_resources(&self, cwd: &Path, reason: StartReason) -> DiscoveredResources {
        let mut found = DiscoveredResources::default();
        let mut event = ResourcesDiscoverEvent {
            cwd: cwd.into(),
            reason,
        };
        let take = |_: &mut ResourcesDiscoverEvent, more| {
            found.append(more, cwd);
            Core::go_on()
        };
        let cancel = self.0.cancellation();
        self.0.chain(&mut event, &cancel, take).await;
        found
    }

    /// Asks whether a project is trusted; `None` if no extension says. Works before the session
    /// starts: only extensions that people named themselves should be loaded by then.
    ///
    /// Cancellation: by `cancel`; what was not answered by then is not answered.
    pub async fn project_trust(
        &self,
        cwd: &Path,
        cancel: &CancellationToken,
    ) -> Option<TrustAnswer> {
        let mut said = None;
        let mut event = ProjectTrustEvent { cwd: cwd.into() };
        let take = |_: &mut ProjectTrustEvent, reply| {
            Ok(match reply {
                ProjectTrustReply::Undecided => ControlFlow::Continue(()),
                ProjectTrustReply::Decided(answer) => {
                    said = Some(answer);
                    ControlFlow::Break(())
                }
            })
        };
        self.0.chain(&mut event, cancel, take).await;
        said
    }

    /// Asks what is to become of a command of a person.
    ///
    /// Errors: a handler failed, which is reported too; the command must not run.
    ///
    /// Cancellation: by `cancel`; the error says so.
    pub async fn user_bash(
        &self,
        mut event: UserBashEvent,
        cancel: &CancellationToken,
    ) -> Result<UserBashReply, String> {
        let context = self.0.context(cancel);
        for listener in self.0.listeners::<UserBashEvent>() {
            let said = tokio::select! {
                biased;
                said = Caught::new(|| (listener.handler)(&mut event, &context)) => said,
                () = cancel.cancelled() => return Err("the command was cancelled".to_owned()),
            };
            let fault = match said {
                Ok(Ok(UserBashReply::Continue)) => continue,
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) => Fault::Error(error),
                Err(panic) => Fault::Panic(panic),
            };
            self.0
                .report(&listener.extension, UserBashEvent::NAME, &fault, None);
            return Err(format!(
                "the extension {} failed with it: {fault}",
                listener.extension.name
            ));
        }
        Ok(UserBashReply::Continue)
    }

    /// Lets handlers change header fields of a request to a provider.
    pub async fn before_provider_headers(
        &self,
        headers: Vec<(String, Option<String>)>,
        cancel: &CancellationToken,
    ) -> Vec<(String, Option<String>)> {
        let mut event = BeforeProviderHeadersEvent { headers };
        let take = |_: &mut BeforeProviderHeadersEvent, ()| Core::go_on();
        self.0.chain(&mut event, cancel, take).await;
        event.headers
    }

    /// Lets handlers change the body of a request to a provider.
    pub async fn before_provider_request(
        &self,
        payload: Arc<Value>,
        cancel: &CancellationToken,
    ) -> Arc<Value> {
        let mut event = BeforeProviderRequestEvent { payload };
        let take = |event: &mut BeforeProviderRequestEvent, reply: Option<Value>| {
            if let Some(payload) = reply {
                event.payload = Arc::new(payload);
            }
            Core::go_on()
        };
        self.0.chain(&mut event, cancel, take).await;
        event.payload
    }

    /// Tells that a provider has begun to answer.
    pub async fn after_provider_response(
        &self,
        event: AfterProviderResponseEvent,
        cancel: &CancellationToken,
    ) {
        self.0.tell_event(event, cancel).await;
    }

    /// Tells that the session begins to wait for a person.
    pub async fn ui_prompt_started(&self, kind: UiPromptKind, title: Arc<str>) {
        let event = UiPromptStartEvent { kind, title };
        self.0.tell_event(event, &self.0.cancellation()).await;
    }

    /// Tells that the session waits for nobody any more.
    pub async fn ui_prompt_ended(&self, kind: UiPromptKind, title: Arc<str>) {
        let event = UiPromptEndEvent { kind, title };
        self.0.tell_event(event, &self.0.cancellation()).await;
    }
}
