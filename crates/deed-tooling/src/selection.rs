//! Which tools a run may know and which it begins with.

mod list;
mod pattern;

use std::fmt;
use std::sync::Arc;

use deed_agent::ToolSpec;
use serde::Serialize;

pub use list::{SelectionError, ToolList};
pub use pattern::NamePattern;

use crate::{Layer, RegisteredTool};

/// A set of built-in tools with a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// What an agent needs that writes code.
    #[default]
    Coding,
    /// What an agent needs that only looks.
    ReadOnly,
}

impl Preset {
    /// Returns the names of its tools.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Coding => &["read", "bash", "edit", "write"],
            Self::ReadOnly => &["read", "grep", "find", "ls"],
        }
    }
}

/// Which built-in tools are active where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultTools {
    /// All of them.
    AllBuiltIn,
    /// Those with these names.
    Named(Vec<String>),
}

impl DefaultTools {
    /// Takes a preset, changed by a setting: plain names replace it, `+name` and `-name` change
    /// what is there, in order.
    pub fn from_setting<E: AsRef<str>>(preset: Preset, entries: &[E]) -> Self {
        let entries = entries.iter().map(|entry| entry.as_ref().trim());
        let (signed, plain): (Vec<&str>, Vec<&str>) = entries
            .filter(|entry| !entry.is_empty())
            .partition(|entry| entry.starts_with(['+', '-']));
        let base = if plain.is_empty() {
            preset.names()
        } else {
            plain.as_slice()
        };
        let mut names: Vec<String> = base.iter().map(|name| (*name).to_owned()).collect();
        for entry in signed {
            if let Some(name) = entry.strip_prefix('+') {
                names.push(name.to_owned());
            } else if let Some(name) = entry.strip_prefix('-') {
                names.retain(|there| there != name);
            }
        }
        Self::Named(names)
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::AllBuiltIn => true,
            Self::Named(names) => names.iter().any(|there| there == name),
        }
    }
}

impl From<Preset> for DefaultTools {
    fn from(preset: Preset) -> Self {
        Self::Named(
            preset
                .names()
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
        )
    }
}

impl Default for DefaultTools {
    fn default() -> Self {
        Preset::default().into()
    }
}

/// What the user said about tools; it holds for every layer, whenever a tool is registered.
///
/// The default knows every tool and begins with the preset `coding` and all that is not built in.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The built-in tools to begin with.
    pub defaults: DefaultTools,
    /// The list of tools, if there is one.
    pub tools: Option<ToolList>,
    /// No tools but those in the list.
    pub no_tools: bool,
    /// Begin with no built-in tools; they can be made active.
    pub no_builtin_tools: bool,
    /// Tools that must not be there, whatever else is said.
    pub exclude: Vec<NamePattern>,
    /// Tools that a policy denies whole.
    pub denied: DeniedTools,
}

/// Tells of a tool whether a policy denies all of its calls, so that no model should know of it.
#[derive(Clone, Default)]
pub struct DeniedTools(Option<Arc<DeniesTool>>);

type DeniesTool = dyn Fn(&ToolSpec) -> bool + Send + Sync;

impl DeniedTools {
    /// Asks `denies` whenever the registry is looked at, so that it may answer differently later.
    pub fn asking(denies: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(denies)))
    }

    fn has(&self, spec: &ToolSpec) -> bool {
        self.0.as_ref().is_some_and(|denies| denies(spec))
    }
}

impl fmt::Debug for DeniedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeniedTools").finish_non_exhaustive()
    }
}

/// Why a tool is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum InactiveReason {
    /// The exclude list names it.
    Excluded,
    /// A policy denies all of its calls.
    Denied,
    /// There is a list of tools and it is not in it.
    NotListed,
    /// There are to be no tools.
    NoTools,
    /// There are to be no built-in tools.
    NoBuiltinTools,
    /// It is active only if asked for.
    NotDefault,
    /// The list of tools takes it away from the default.
    TakenAway,
    /// It was made inactive since.
    MadeInactive,
}

impl fmt::Display for InactiveReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Excluded => "excluded",
            Self::Denied => "denied by the policy",
            Self::NotListed => "not in the list of tools",
            Self::NoTools => "no tools wanted",
            Self::NoBuiltinTools => "no built-in tools wanted",
            Self::NotDefault => "not in the default set",
            Self::TakenAway => "taken out of the default set",
            Self::MadeInactive => "made inactive",
        })
    }
}

/// How a selection sees a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Begins active.
    Active,
    /// Known, can be made active.
    Inactive(InactiveReason),
    /// Not known and cannot be made active.
    Unknown(InactiveReason),
}

impl Selection {
    pub(crate) fn standing(&self, tool: &RegisteredTool) -> Standing {
        let name = tool.name().as_ref();
        if self.exclude.iter().any(|pattern| pattern.matches(name)) {
            return Standing::Unknown(InactiveReason::Excluded);
        }
        if self.denied.has(tool.spec()) {
            return Standing::Unknown(InactiveReason::Denied);
        }
        match &self.tools {
            Some(ToolList::Only(patterns)) => {
                if patterns.iter().any(|pattern| pattern.matches(name)) {
                    return Standing::Active;
                }
                return Standing::Unknown(InactiveReason::NotListed);
            }
            Some(ToolList::Change { add, remove }) => {
                if add.iter().any(|added| added == name) {
                    return Standing::Active;
                }
                if !self.no_tools && remove.iter().any(|removed| removed == name) {
                    return Standing::Inactive(InactiveReason::TakenAway);
                }
            }
            None => {}
        }
        if self.no_tools {
            return Standing::Unknown(InactiveReason::NoTools);
        }
        self.default_standing(tool)
    }

    fn default_standing(&self, tool: &RegisteredTool) -> Standing {
        let is_default = match tool.layer() {
            Layer::BuiltIn if self.no_builtin_tools => {
                return Standing::Inactive(InactiveReason::NoBuiltinTools);
            }
            Layer::BuiltIn => self.defaults.has(tool.name()),
            Layer::Extension | Layer::Sdk => tool.is_active_by_default(),
        };
        if is_default {
            Standing::Active
        } else {
            Standing::Inactive(InactiveReason::NotDefault)
        }
    }

    /// Returns what in the lists names no tool of `names`.
    pub(crate) fn unmatched<'a>(
        &'a self,
        names: &[&str],
    ) -> impl Iterator<Item = UnmatchedName> + use<'a> {
        let listed: Vec<&str> = match &self.tools {
            Some(ToolList::Only(patterns)) => patterns.iter().map(NamePattern::as_str).collect(),
            Some(ToolList::Change { add, remove }) => {
                add.iter().chain(remove).map(String::as_str).collect()
            }
            None => Vec::new(),
        };
        let listed = listed.into_iter().map(|entry| (NameList::Tools, entry));
        let excluded = self
            .exclude
            .iter()
            .map(|entry| (NameList::Exclude, entry.as_str()));
        let unmatched: Vec<UnmatchedName> = listed
            .chain(excluded)
            .filter(|(_, entry)| {
                let pattern = NamePattern::new(*entry);
                !names.iter().any(|name| pattern.matches(name))
            })
            .map(|(list, entry)| UnmatchedName {
                list,
                name: entry.to_owned(),
            })
            .collect();
        unmatched.into_iter()
    }
}

/// Which list a name stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameList {
    /// The list of tools.
    Tools,
    /// The exclude list.
    Exclude,
}

/// A name in a list that no tool has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedName {
    /// The list.
    pub list: NameList,
    /// The name, or the pattern.
    pub name: String,
}

impl fmt::Display for UnmatchedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.list {
            NameList::Tools => "the list of tools",
            NameList::Exclude => "the exclude list",
        };
        write!(
            f,
            "`{}` in {list} matches no tool; names are compared to the letter",
            self.name
        )
    }
}
