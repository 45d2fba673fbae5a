use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::Caught;
use tokio_util::sync::CancellationToken;

use super::{Core, Loaded};
use crate::failure::Fault;
use crate::handler::Handler;
use crate::{ExtensionContext, ExtensionError, ExtensionEvent, Failure};

/// How long handlers of one event may go on after the run was cancelled; the bus gives up a sink
/// after two seconds, and all extensions with it.
const CANCEL_GRACE: Duration = Duration::from_millis(1500);

/// A handler and whose it is.
pub(crate) struct Listener<E: ExtensionEvent> {
    pub(crate) extension: Arc<Loaded>,
    pub(crate) handler: Handler<E>,
}

/// What becomes of the rest of a dispatch, or why a reply does not count.
pub(crate) type Taken = Result<ControlFlow<()>, ExtensionError>;

impl Core {
    /// Lets the next handler run.
    #[expect(clippy::unnecessary_wraps, reason = "the outcome of taking a reply")]
    pub(crate) fn go_on() -> Taken {
        Ok(ControlFlow::Continue(()))
    }

    /// Returns who listens to an event now, in the order in which they hear of it.
    pub(crate) fn listeners<E: ExtensionEvent>(&self) -> Vec<Listener<E>> {
        let extensions = self.extensions();
        let of_one = |extension: &Arc<Loaded>| {
            let handlers = extension.handlers.of::<E>().into_iter();
            let extension = extension.clone();
            handlers.map(move |handler| Listener {
                extension: extension.clone(),
                handler,
            })
        };
        extensions.iter().flat_map(of_one).collect()
    }

    /// Tells whether anybody listens to an event.
    pub(crate) fn listens_to<E: ExtensionEvent>(&self) -> bool {
        let extensions = self.extensions();
        extensions.iter().any(|one| one.handlers.has::<E>())
    }

    pub(crate) fn context(self: &Arc<Self>, cancel: &CancellationToken) -> ExtensionContext {
        ExtensionContext::new(self.session.clone(), cancel.clone(), None)
    }

    /// Tells an event to which nobody has anything to answer.
    pub(crate) async fn tell_event<E: ExtensionEvent<Reply = ()>>(
        self: &Arc<Self>,
        mut event: E,
        cancel: &CancellationToken,
    ) {
        self.chain(&mut event, cancel, |_, ()| Self::go_on()).await;
    }

    /// Runs the handlers of an event until the run is cancelled and the grace over; tells whether
    /// there were any.
    pub(crate) async fn chain<E: ExtensionEvent>(
        self: &Arc<Self>,
        event: &mut E,
        cancel: &CancellationToken,
        take: impl FnMut(&mut E, E::Reply) -> Taken + Send,
    ) -> bool {
        let over = async {
            cancel.cancelled().await;
            tokio::time::sleep(CANCEL_GRACE).await;
        };
        self.dispatch(event, &self.context(cancel), over, take)
            .await
    }

    /// Runs the handlers of an event one after the other; tells whether there were any.
    ///
    /// `take` brings a reply into the event. A handler that fails, or whose reply does not count, is
    /// reported, and the event is as before it. Once `over` is there, no handler is waited for.
    pub(crate) async fn dispatch<E: ExtensionEvent>(
        self: &Arc<Self>,
        event: &mut E,
        context: &ExtensionContext,
        over: impl Future<Output = ()> + Send,
        mut take: impl FnMut(&mut E, E::Reply) -> Taken + Send,
    ) -> bool {
        let listeners = self.listeners::<E>();
        tokio::pin!(over);
        let mut is_over = false;
        for listener in &listeners {
            let mut seen = event.clone();
            let said = tokio::select! {
                biased;
                said = Caught::new(|| (listener.handler)(&mut seen, context)) => match said {
                    Ok(said) => said.map_err(Fault::Error),
                    Err(panic) => Err(Fault::Panic(panic)),
                },
                () = &mut over, if !is_over => {
                    is_over = true;
                    Err(Fault::LetGo)
                }
                () = std::future::ready(()), if is_over => Err(Fault::LetGo),
            };
            let taken = said.and_then(|reply| take(&mut seen, reply).map_err(Fault::Error));
            match taken {
                Ok(flow) => {
                    *event = seen;
                    if flow.is_break() {
                        break;
                    }
                }
                Err(fault) => self.report(&listener.extension, E::NAME, &fault, None),
            }
        }
        !listeners.is_empty()
    }

    /// Tells whoever listens that a handler failed.
    pub(crate) fn report(
        &self,
        extension: &Loaded,
        event: &'static str,
        fault: &Fault,
        blocked_call_id: Option<Arc<str>>,
    ) {
        self.tell(&Failure {
            extension: extension.source.clone(),
            event,
            error: fault.to_string(),
            kind: fault.kind(),
            blocked_call_id,
        });
    }
}
