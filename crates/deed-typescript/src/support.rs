//! What of Pi's and node's interfaces scripts find here, as the JavaScript side itself tells it.

mod markdown;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::runtime::Handle as RuntimeHandle;

use crate::bridge::Bridge;
use crate::ops::{self, OpContext};
use crate::{AllowNothing, Limits, ScriptError, ScriptOptions, Used, events, isolate, modules};

pub use markdown::extensions_markdown;

/// What Pi 1.6.0 has, by object: names alone. Made by `js/make-members.mjs`.
static OF_PI: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    // A file of ours, which a test reads too.
    let objects: Map<String, Value> =
        serde_json::from_str(include_str!("../js/members.json")).unwrap_or_default();
    let names = |names| serde_json::from_value(names).unwrap_or_default();
    objects
        .into_iter()
        .map(|(object, members)| (object, names(members)))
        .collect()
});

/// The name of the events among the objects.
const EVENTS: &str = "events";
/// Loading all modules at once is more than a script does at a time.
const SLICE: Duration = Duration::from_secs(60);

/// Tells whether Pi has an event.
pub(crate) fn is_event(name: &str) -> bool {
    let mut objects = OF_PI.iter();
    let events = objects.find(|(object, _)| object == EVENTS);
    events.is_some_and(|(_, names)| names.iter().any(|own| own == name))
}

/// What of Pi's and node's interfaces scripts find here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// Objects and events, then modules.
    pub groups: Vec<MemberGroup>,
}

/// Members that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberGroup {
    /// What they are members of.
    pub kind: MemberKind,
    /// The object as authors write it, or the module's present name.
    pub name: String,
    /// By name.
    pub members: Vec<Member>,
}

/// What members can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// An object that extensions get or give.
    Object,
    /// The events of a session.
    Event,
    /// A module that is built in.
    Module,
}

/// A member of an object, an event, or a name that a module exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Whether Pi, or node, has it too.
    pub is_of_pi: bool,
    /// How far it does what it is for.
    pub how: How,
    /// Operations of the host that it asks for.
    pub asks: Vec<String>,
}

/// How far something does what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// Wholly.
    Whole,
    /// With something missing: the text says what.
    Part(String),
    /// Not at all: using it throws. The text says more, where there is more to say.
    Refused(Option<String>),
}

impl Support {
    /// Returns what an extension uses, if it is a member of something known.
    ///
    /// Shape: objects are told by their last name, as in `ui.custom`.
    pub fn of(&self, used: &Used) -> Option<&Member> {
        match used {
            Used::Import { module, name } => self.member(name.as_ref()?, |group| {
                group.kind == MemberKind::Module && group.name == *module
            }),
            Used::Member { object, member } => self.member(member, |group| {
                group.kind == MemberKind::Object && group.is_called(object)
            }),
        }
    }

    fn member(&self, name: &str, is_meant: impl Fn(&MemberGroup) -> bool) -> Option<&Member> {
        let groups = self.groups.iter().filter(|group| is_meant(group));
        let mut members = groups.flat_map(|group| &group.members);
        members.find(|one| one.name == name)
    }

    /// Returns how an event is told, if it is one.
    pub fn event(&self, name: &str) -> Option<&Member> {
        let mut groups = self.groups.iter();
        let events = groups.find(|group| group.kind == MemberKind::Event)?;
        events.members.iter().find(|one| one.name == name)
    }
}

impl MemberGroup {
    /// Tells whether authors call the object so: `ctx` is that of tools and commands too.
    fn is_called(&self, name: &str) -> bool {
        let object = self.name.split(' ').next().unwrap_or_default();
        object.rsplit('.').next() == Some(name) && self.name != "a tool's definition"
    }
}

/// What the JavaScript side tells.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described {
    objects: BTreeMap<String, BTreeMap<String, DescribedMember>>,
    event_notes: BTreeMap<String, String>,
    modules: BTreeMap<String, BTreeMap<String, DescribedMember>>,
}

#[derive(Deserialize)]
struct DescribedMember {
    state: State,
    note: Option<String>,
    /// What it asks of the host.
    operations: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Whole,
    Part,
    Refused,
}

/// Asks an engine, without a session, what scripts find in it.
///
/// Errors: the engine does not start.
pub async fn support() -> Result<Support, ScriptError> {
    let mut options = ScriptOptions::new("/");
    options.permissions = Arc::new(AllowNothing);
    let limits = Limits {
        slice: SLICE,
        ..Limits::default()
    };
    let file = PathBuf::from("/support.js");
    let bridge = Bridge::new(
        "support".to_owned(),
        file,
        options,
        RuntimeHandle::current(),
    );
    let make = |commands| Arc::new(OpContext::new(Arc::new(bridge), commands));
    let (handle, _operations) = isolate::start("support", limits, make);
    let unclear = |why: String| ScriptError::Answer {
        what: "the description of what is supported".to_owned(),
        why,
    };
    let modules =
        serde_json::to_string(&modules::all()).map_err(|error| unclear(error.to_string()))?;
    let answer = handle.call("support", vec![modules]).await?;
    let described: Described = serde_json::from_str(&answer.unwrap_or_default())
        .map_err(|error| unclear(error.to_string()))?;
    Ok(described.into_support())
}

impl Described {
    fn into_support(self) -> Support {
        let none = BTreeMap::new();
        let of_pi = OF_PI.iter().map(|(name, of_pi)| match name.as_str() {
            EVENTS => MemberGroup {
                kind: MemberKind::Event,
                name: name.clone(),
                members: events_of(of_pi, &self.event_notes),
            },
            _ => MemberGroup {
                kind: MemberKind::Object,
                name: name.clone(),
                members: with_those_of_pi(self.objects.get(name).unwrap_or(&none), of_pi),
            },
        });
        let modules = self.modules.iter().map(|(name, members)| MemberGroup {
            kind: MemberKind::Module,
            name: name.clone(),
            members: members
                .iter()
                .map(|(member, described)| described.member(member, !name.starts_with("deed/")))
                .collect(),
        });
        Support {
            groups: of_pi.chain(modules).collect(),
        }
    }
}

/// What Pi has and an object lacks throws when it is read.
fn with_those_of_pi(members: &BTreeMap<String, DescribedMember>, of_pi: &[String]) -> Vec<Member> {
    let own = members.iter();
    let own = own.map(|(name, described)| described.member(name, of_pi.contains(name)));
    let lacking = of_pi.iter().filter(|name| !members.contains_key(*name));
    let lacking = lacking.map(|name| Member {
        name: name.clone(),
        is_of_pi: true,
        how: How::Refused(None),
        asks: Vec::new(),
    });
    let mut all: Vec<_> = own.chain(lacking).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

fn events_of(of_pi: &[String], notes: &BTreeMap<String, String>) -> Vec<Member> {
    let member = |name: &String| Member {
        name: name.clone(),
        is_of_pi: true,
        how: match (events::known(name), notes.get(name)) {
            (None, _) => How::Refused(Some("never told".to_owned())),
            (Some(_), None) => How::Whole,
            (Some(_), Some(note)) => How::Part(note.clone()),
        },
        asks: Vec::new(),
    };
    let mut all: Vec<_> = of_pi.iter().map(member).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

impl DescribedMember {
    fn member(&self, name: &str, is_of_pi: bool) -> Member {
        let note = self.note.clone();
        let how = match self.state {
            State::Refused => How::Refused(note),
            _ if self.operations.iter().any(|name| !ops::knows(name)) => {
                How::Refused(Some("not in this version".to_owned()))
            }
            State::Part => How::Part(note.unwrap_or_default()),
            State::Whole => How::Whole,
        };
        Member {
            name: name.to_owned(),
            is_of_pi,
            how,
            asks: self.operations.clone(),
        }
    }
}
