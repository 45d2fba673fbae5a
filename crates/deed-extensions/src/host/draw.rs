//! What extensions draw, within bounds of time and size.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deed_agent::Caught;
use deed_protocol::{Block, CustomMessage, ToolResult};
use deed_tooling::ResultView;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{Core, ExtensionHost, Loaded};
use crate::drawing::{cleaned, type_of};
use crate::failure::Fault;
use crate::{Drawable, DrawnCall, Draws, Renderer};

/// How long one card may wait for extensions.
const DRAW_TIME: Duration = Duration::from_secs(1);

/// What stands between two drawings of what a running call shows, in times of what the last one took:
/// so that drawing never holds a call up by more than a small part of its time.
const PAUSE: u32 = 10;

/// Running calls whose last drawing is kept.
const MAX_PARTIALS: usize = 256;

/// What extensions drew of a result; `None` is left to the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnResult {
    /// The call.
    pub call: Option<Vec<Block>>,
    /// What came of it.
    pub result: Option<Vec<Block>>,
}

/// The last drawings of calls that run, by call id.
#[derive(Default)]
pub(crate) struct Partials(Mutex<HashMap<String, Partial>>);

struct Partial {
    drawn: DrawnResult,
    /// When it may be drawn again.
    again_at: Instant,
}

impl Partials {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Partial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last drawing, if it is too early for another.
    fn recent(&self, call_id: &str) -> Option<DrawnResult> {
        let partials = self.lock();
        let last = partials.get(call_id)?;
        (Instant::now() < last.again_at).then(|| last.drawn.clone())
    }

    fn keep(&self, call_id: &str, drawn: &DrawnResult, took: Duration) {
        let mut partials = self.lock();
        if partials.len() >= MAX_PARTIALS {
            // Calls that were let go; what is lost is a pause.
            partials.clear();
        }
        let last = Partial {
            drawn: drawn.clone(),
            again_at: Instant::now() + took * PAUSE,
        };
        partials.insert(call_id.to_owned(), last);
    }

    fn forget(&self, call_id: &str) {
        self.lock().remove(call_id);
    }
}

impl ExtensionHost {
    /// Lets extensions draw a message of one of them; `None` if none does.
    pub async fn draw_message(
        &self,
        message: &CustomMessage,
        view: ResultView,
    ) -> Option<Vec<Block>> {
        let draws = Draws::Messages(message.custom_type.clone());
        self.0
            .draw_first(&draws, Drawable::Message(message), view)
            .await
    }

    /// Lets extensions draw an entry that one of them added; `None` if none does.
    pub async fn draw_entry(&self, entry: &Value, view: ResultView) -> Option<Vec<Block>> {
        let draws = Draws::Entries(type_of(entry)?.to_owned());
        self.0
            .draw_first(&draws, Drawable::Entry(entry), view)
            .await
    }

    /// Lets extensions draw a call; `None` if none does.
    pub async fn draw_call(&self, call: DrawnCall<'_>, view: ResultView) -> Option<Vec<Block>> {
        let renderers = self.0.renderers_of_tool(call.tool_name);
        let until = Instant::now() + DRAW_TIME;
        self.0
            .draw(&renderers, Drawable::Call(call), (view, until))
            .await
    }

    /// Lets extensions draw a result, and its call with it.
    ///
    /// Of what a running call shows, not all is drawn where drawing takes long: the last drawing
    /// stands meanwhile.
    pub async fn draw_result(
        &self,
        call: DrawnCall<'_>,
        result: &ToolResult,
        view: ResultView,
    ) -> DrawnResult {
        let renderers = self.0.renderers_of_tool(call.tool_name);
        if renderers.is_empty() {
            return DrawnResult::default();
        }
        let partials = &self.0.partials;
        if !view.partial {
            partials.forget(call.call_id);
        } else if let Some(drawn) = partials.recent(call.call_id) {
            return drawn;
        }
        let begun = Instant::now();
        let within = (view, begun + DRAW_TIME);
        let of_call = self.0.draw(&renderers, Drawable::Call(call), within).await;
        let of_result = Drawable::Result(call, result);
        let drawn = DrawnResult {
            call: of_call,
            result: self.0.draw(&renderers, of_result, within).await,
        };
        if view.partial {
            partials.keep(call.call_id, &drawn, begun.elapsed());
        }
        drawn
    }
}

/// A renderer and whose it is.
type Drawer = (Arc<Loaded>, Arc<dyn Renderer>);

impl Core {
    /// Returns who draws calls of a tool, in the order in which they are asked: those for all tools,
    /// then that of the extension that the tool is of.
    fn renderers_of_tool(&self, tool_name: &str) -> Vec<Drawer> {
        let mut drawers = self.renderers(&Draws::AllTools);
        let of_tool = self.renderers(&Draws::Tool(tool_name.to_owned()));
        if !of_tool.is_empty()
            && let Some(tool) = self.session.registry().get(tool_name)
        {
            let owner = &tool.source().path;
            drawers.extend(
                of_tool
                    .into_iter()
                    .filter(|(of, _)| of.source.path == *owner),
            );
        }
        drawers
    }

    fn renderers(&self, draws: &Draws) -> Vec<Drawer> {
        let of_one = |loaded: &Arc<Loaded>| {
            let registered = loaded.registered();
            let (_, renderer) = registered.renderers.iter().find(|(own, _)| own == draws)?;
            Some((loaded.clone(), renderer.clone()))
        };
        self.extensions().iter().filter_map(of_one).collect()
    }

    /// Lets the first extension draw that has a renderer for it.
    async fn draw_first(
        &self,
        draws: &Draws,
        what: Drawable<'_>,
        view: ResultView,
    ) -> Option<Vec<Block>> {
        let mut drawers = self.renderers(draws);
        drawers.truncate(1);
        self.draw(&drawers, what, (view, Instant::now() + DRAW_TIME))
            .await
    }

    /// Asks one after the other until one draws, or time is over.
    async fn draw(
        &self,
        drawers: &[Drawer],
        what: Drawable<'_>,
        (view, until): (ResultView, Instant),
    ) -> Option<Vec<Block>> {
        for (loaded, renderer) in drawers {
            let drawing = Caught::new(|| renderer.render(what, view));
            let fault = match timeout_at(until, drawing).await {
                Ok(Ok(Ok(Some(blocks)))) => return Some(cleaned(blocks)),
                Ok(Ok(Ok(None))) => continue,
                Ok(Ok(Err(error))) => Fault::Error(error),
                Ok(Err(panic)) => Fault::Panic(panic),
                Err(_) => Fault::TimedOut(format!(
                    "drawing `{}` took longer than {} s",
                    what.name(),
                    DRAW_TIME.as_secs()
                )),
            };
            if loaded.is_news(what.event(), what.name()) {
                self.report(loaded, what.event(), &fault, None);
            }
            if matches!(fault, Fault::TimedOut(_)) {
                break;
            }
        }
        None
    }
}
