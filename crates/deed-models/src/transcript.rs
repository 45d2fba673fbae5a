//! What of a transcript a provider gets: one normal form that all wires write.
//!
//! A transcript is cut into [`Unit`]s: one message of the user's side, or one answer of a model with
//! the results of its calls. What a provider would refuse is repaired on the way: answers that failed
//! are left out, every call is answered exactly once and in order, ids are valid and unique, pictures
//! that the model does not take become text. The stored messages stay as they are.
//!
//! A unit that another one follows is *closed*: it never changes when messages are appended, so that
//! a wire writes it once. [`Normaliser`] keeps what has to be remembered between two requests.

mod answer;
mod ids;
mod scan;
mod text;
mod user;

use std::borrow::Cow;
use std::sync::Arc;

use deed_protocol::{AssistantMessage, Message};

pub use ids::IdRule;
pub use text::safe_text;

use crate::{Api, ModelSpec};
use ids::Ids;

/// Where a transcript goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Who runs the model.
    pub provider: Arc<str>,
    /// How it is reached.
    pub api: Api,
    /// Its id.
    pub model: Arc<str>,
    /// Whether it takes pictures.
    pub takes_images: bool,
    /// Whether pictures are kept from it all the same.
    pub block_images: bool,
    /// What ids of tool calls look like there.
    pub ids: IdRule,
}

impl Target {
    /// Makes the target of a model.
    pub fn of(spec: &ModelSpec, block_images: bool) -> Self {
        Self {
            provider: spec.provider.clone(),
            api: spec.api,
            model: spec.id.clone(),
            takes_images: spec.takes_images,
            block_images,
            ids: IdRule::of(spec),
        }
    }

    /// Tells whether this model wrote the message, so that its opaque data may go back.
    pub fn wrote(&self, message: &AssistantMessage) -> bool {
        message.provider == *self.provider
            && message.model == *self.model
            && message.api == self.api.as_str()
    }
}

/// One step of a conversation, as a wire writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit<'m> {
    /// What a person or program said; never empty.
    User(Vec<Part<'m>>),
    /// An instruction that came between two messages.
    System(Cow<'m, str>),
    /// What a model answered, and what came of its calls.
    Assistant(AssistantUnit<'m>),
}

/// What a model answered, and what came of its calls.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantUnit<'m> {
    /// Text, thoughts and calls, in order; never empty.
    pub parts: Vec<AssistantPart<'m>>,
    /// One result for each call, in call order.
    pub answers: Vec<Answer<'m>>,
    /// Instructions that came while calls were open; they stand behind the results.
    pub notes: Vec<Cow<'m, str>>,
    /// Whether the target itself wrote it.
    pub is_own: bool,
    /// The provider's name for the answer, if the target wrote it.
    pub response_id: Option<&'m str>,
}

/// Text or a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'m> {
    /// Text; never blank.
    Text(Cow<'m, str>),
    /// A picture that the target takes.
    Image {
        /// Base64 without a data-URL prefix.
        data: &'m str,
        /// PNG, JPEG, GIF or WebP.
        mime_type: &'m str,
    },
}

/// One block of what a model answered.
#[derive(Clone, Debug, PartialEq)]
pub enum AssistantPart<'m> {
    /// Text; never blank.
    Text {
        /// The text.
        text: Cow<'m, str>,
        /// Opaque data, if the target wrote it.
        signature: Option<&'m str>,
    },
    /// A thought that the target had.
    Thinking {
        /// What is shown of it; may be empty where there is a signature.
        text: Cow<'m, str>,
        /// Opaque data.
        signature: Option<&'m str>,
        /// Whether the text was withheld.
        is_redacted: bool,
    },
    /// A tool call.
    Call(Call<'m>),
}

/// A tool call, with names that the target takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'m> {
    /// The id, unique in the transcript.
    pub id: Cow<'m, str>,
    /// The name of the item that held it, where the target itself gave one (Responses).
    pub item_id: Option<&'m str>,
    /// The tool, by its name on the wire.
    pub name: Cow<'m, str>,
    /// A JSON object, to the letter but for what is no character.
    pub arguments: Cow<'m, str>,
    /// Opaque data, if the target wrote it.
    pub signature: Option<&'m str>,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<'m> {
    /// The id of the call in this request.
    pub call_id: Cow<'m, str>,
    /// The tool, by its name on the wire.
    pub tool_name: Cow<'m, str>,
    /// What the tool gave; never empty.
    pub parts: Vec<Part<'m>>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Answer<'_> {
    /// Returns its text, blocks joined by newlines.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.parts.iter().filter_map(Part::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => {
                let mut joined = [first, second].join("\n");
                for more in texts {
                    joined.push('\n');
                    joined.push_str(more);
                }
                Cow::Owned(joined)
            }
        }
    }

    /// Returns its pictures: base64 and media type.
    pub fn images(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Image { data, mime_type } => Some((*data, *mime_type)),
            Part::Text(_) => None,
        })
    }
}

impl Part<'_> {
    /// Returns the text of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image { .. } => None,
        }
    }
}

/// Brings a growing transcript into units, each closed one once.
///
/// The messages handed in must begin with those of the call before; where they do not, start with a
/// new one.
#[derive(Clone, Debug)]
pub struct Normaliser {
    target: Target,
    ids: Ids,
    next: usize,
}

impl Normaliser {
    /// Starts at the beginning of a transcript.
    pub fn new(target: Target) -> Self {
        let ids = Ids::new(target.ids);
        Self {
            target,
            ids,
            next: 0,
        }
    }

    /// Returns where the transcript goes.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Tells how many messages at the start need not be looked at again.
    pub fn position(&self) -> usize {
        self.next
    }

    /// Returns the next unit that is closed, and moves behind it; `None` if only the last is left.
    pub fn next_closed<'m>(&mut self, messages: &'m [Arc<Message>]) -> Option<Unit<'m>> {
        let span = scan::span(messages, self.next, &self.target)?;
        let follower = span.follower?;
        let unit = self.build(span.within(messages));
        self.ids.keep(&unit);
        self.next = follower;
        Some(unit)
    }

    /// Returns the last unit, which messages to come may still change.
    ///
    /// Shape: to be asked after [`next_closed`](Self::next_closed) has given all it has.
    pub fn open<'m>(&self, messages: &'m [Arc<Message>]) -> Option<Unit<'m>> {
        let span = scan::span(messages, self.next, &self.target)?;
        Some(self.build(span.within(messages)))
    }

    fn build<'m>(&self, messages: &'m [Arc<Message>]) -> Unit<'m> {
        match messages.first().map(Arc::as_ref) {
            Some(Message::Assistant(message)) => Unit::Assistant(answer::unit(
                message,
                messages.get(1..).unwrap_or_default(),
                &self.target,
                &self.ids,
            )),
            Some(Message::System(message)) => Unit::System(text::joined(&message.content)),
            Some(message) => Unit::User(user::parts(message, &self.target)),
            None => Unit::User(Vec::new()),
        }
    }
}

/// Brings a whole transcript into units.
pub fn units<'m>(messages: &'m [Arc<Message>], target: &Target) -> Vec<Unit<'m>> {
    let mut normaliser = Normaliser::new(target.clone());
    let mut units = Vec::new();
    while let Some(unit) = normaliser.next_closed(messages) {
        units.push(unit);
    }
    units.extend(normaliser.open(messages));
    units
}
