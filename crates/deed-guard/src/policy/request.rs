use deed_agent::{EffectPlan, FrozenCall};
use deed_protocol::SourceInfo;
use serde_json::Value;

use super::spec::Kind;
use crate::shell::{ShellReading, read_command};

/// A call to decide on.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// Where the tool comes from.
    pub source: &'a SourceInfo,
    /// What the call would touch.
    pub plan: &'a EffectPlan,
    /// The arguments that would run.
    pub args: &'a Value,
}

/// The kind of source, and the tool, of what an extension does itself, outside of calls.
pub(crate) const OF_EXTENSION: &str = "extension";

/// Built-in tools whose read ends at the path they name: nothing below it is looked into.
const SHALLOW_READERS: [&str; 2] = ["read", "ls"];
/// Built-in tools that show lines of the file they write.
const SHOWING_WRITERS: [&str; 1] = ["edit"];

impl<'a> Request<'a> {
    /// Makes the request for a frozen call.
    pub fn of(call: &'a FrozenCall) -> Self {
        Self {
            tool: &call.call().name,
            source: call.source(),
            plan: call.plan(),
            args: call.args().value(),
        }
    }

    /// Tells whether Deed ships the tool: only then do rules that allow a kind of access count.
    pub(crate) fn is_built_in(&self) -> bool {
        &*self.source.source == "builtin"
    }

    /// Tells whether the plan is the word of the host program, so that a mode may rely on it.
    pub(crate) fn has_trusted_plan(&self) -> bool {
        self.is_built_in() || &*self.source.source == "sdk"
    }

    /// Tells whether writing a file means showing some of it.
    pub(crate) fn shows_what_it_writes(&self) -> bool {
        self.is_built_in() && SHOWING_WRITERS.contains(&self.tool)
    }

    /// Tells whether reading a folder means reading what lies in it.
    pub(crate) fn reads_deep(&self) -> bool {
        let is_one_step = &*self.source.source == OF_EXTENSION;
        let is_shallow = self.is_built_in() && SHALLOW_READERS.contains(&self.tool);
        !is_one_step && !is_shallow
    }

    /// Reads the text of a command; only one for `bash` can be read.
    pub(crate) fn reading(&self, command: &str) -> ShellReading {
        match self.tool {
            "powershell" => ShellReading::unread(command, "it is written for another shell"),
            _ => read_command(command),
        }
    }

    /// Returns the kinds that rules may name to reach the call.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        let by_access = Kind::of(&self.plan.access);
        let by_name = Kind::named(&self.plan.policy_name).filter(|kind| Some(*kind) != by_access);
        by_access.into_iter().chain(by_name)
    }
}
