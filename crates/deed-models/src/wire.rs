//! What an interface adds to the common engine: how a request is written and how an answer is read.
//!
//! A wire is a value without state. The engine owns the connection, the transcript that was already
//! written, the listeners and every fault that is not the provider's own; a wire owns the mapping.

mod anthropic;
mod chat;
mod gemini;
pub(crate) mod loose;
mod openai;
mod responses;

use deed_agent::ToolSet;
use deed_protocol::{ErrorKind, ThinkingLevel};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::assemble::Assembler;
use crate::fault::Fault;
use crate::schema::{Declaration, DeclareError, Form, ToolNames, declare};
use crate::sse::SseEvent;
use crate::transcript::Unit;
use crate::{Api, ModelSpec};

/// How one interface is spoken.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Returns what follows the base URL, with its first slash.
    fn path(&self, spec: &ModelSpec) -> String;

    /// Returns the header fields of the interface; the one with the key is left out if there is none.
    fn headers(&self, spec: &ModelSpec, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// Returns the member of the body that holds the transcript.
    fn list(&self) -> &'static str;

    /// Tells whether tools with a grammar are called with a bare text, not with an object.
    fn takes_grammars(&self, _spec: &ModelSpec) -> bool {
        false
    }

    /// Returns the member `tools` of the body; `None` leaves it out.
    ///
    /// The engine asks again only when the set of tools is another.
    ///
    /// Errors: a tool wants what the interface cannot do.
    fn tools(
        &self,
        spec: &ModelSpec,
        tools: &ToolSet,
        names: &ToolNames,
    ) -> Result<Option<Value>, Fault>;

    /// Returns the other members of the body, in the order in which they are sent.
    fn members(&self, ask: &Ask<'_>) -> Map<String, Value>;

    /// Returns what stands in front of the transcript in its list, such as a system message.
    fn lead(&self, _ask: &Ask<'_>) -> Option<Value> {
        None
    }

    /// Writes the items that a unit of the transcript makes.
    ///
    /// What is written of a unit that is not the last is kept for all requests to come, so it must
    /// depend on nothing but the unit and the model.
    fn write(&self, spec: &ModelSpec, unit: &Unit<'_>, is_last: bool, items: &mut Items<'_>);

    /// Returns the reader of one answer.
    fn decoder(&self, spec: &ModelSpec) -> Box<dyn Decoder>;
}

/// What a request asks for, apart from transcript and tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// The model.
    pub(crate) spec: &'a ModelSpec,
    /// The system prompt; may be empty.
    pub(crate) system: &'a str,
    /// How much the model should think: a level that it knows, or `Off`.
    pub(crate) thinking: ThinkingLevel,
    /// What the provider may keep its cache of the transcript under.
    pub(crate) cache_key: Option<&'a str>,
}

/// Reads one answer.
pub(crate) trait Decoder: Send {
    /// Takes one event of the stream, or a whole answer that came without streaming.
    ///
    /// Errors: the event is an error that the provider sent, or not in the words of the interface.
    /// What came before it stays in the answer.
    fn event(&mut self, event: &SseEvent<'_>, answer: &mut Assembler) -> Result<Flow, Fault>;

    /// Takes the end of the stream, which nothing announced.
    ///
    /// Errors: the answer is not whole.
    fn end(&mut self, answer: &mut Assembler) -> Result<(), Fault>;
}

/// Whether more of an answer is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// More may come.
    Goes,
    /// That was its end.
    Over,
}

/// Takes the items of a list, written as JSON, each with a comma in front.
#[derive(Debug)]
pub(crate) struct Items<'a>(pub(crate) &'a mut Vec<u8>);

impl Items<'_> {
    /// Appends an item.
    pub(crate) fn push(&mut self, item: &impl Serialize) {
        let start = self.0.len();
        self.0.push(b',');
        if serde_json::to_writer(&mut *self.0, item).is_err() {
            // Only a map with keys that are no strings cannot be written; no wire has one.
            self.0.truncate(start);
        }
    }
}

/// Returns the wire of an interface.
pub(crate) fn of(api: Api) -> &'static dyn Wire {
    match api {
        Api::Responses => &responses::Responses,
        Api::Anthropic => &anthropic::Anthropic,
        Api::Chat => &chat::Chat,
        Api::Gemini => &gemini::Gemini,
    }
}

/// Declares the tools of a set, each in the words of a wire.
///
/// Errors: a tool demands what the interface or its schema does not allow.
pub(crate) fn declarations(
    tools: &ToolSet,
    names: &ToolNames,
    form: Form,
    write: impl Fn(Declaration<'_>) -> Value,
) -> Result<Vec<Value>, Fault> {
    let declared = tools
        .iter()
        .map(|tool| declare(tool.spec(), names, form).map(&write));
    declared
        .collect::<Result<Vec<_>, DeclareError>>()
        .map_err(|error| Fault::new(ErrorKind::InvalidRequest, error.to_string()))
}

/// What stands in front of the text of a call that failed where the interface has no field for it.
pub(crate) const FAILED: &str = "[the call failed]";

/// Returns an instruction as the user's side says it, where an interface has no place for one
/// between two messages.
pub(crate) fn instruction(text: &str) -> String {
    format!("<instruction>\n{text}\n</instruction>")
}
