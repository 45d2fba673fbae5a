use std::collections::HashMap;
use std::sync::Arc;

use super::{RegisterError, RegisteredTool, ToolRow, check::check};
use crate::selection::Standing;
use crate::{ActiveChange, ActiveChanged, InactiveReason, Layer, Selection};

/// All that was registered, in order, and what of it is active.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How often it may have changed.
    pub(super) revision: u64,
    pub(super) selection: Selection,
    tools: Vec<RegisteredTool>,
    active: Vec<Arc<str>>,
}

impl State {
    pub(super) fn new(selection: Selection) -> Self {
        Self {
            selection,
            ..Self::default()
        }
    }

    pub(super) fn register(&mut self, tool: RegisteredTool) -> Result<(), RegisterError> {
        check(&tool)?;
        let twin = |there: &&mut RegisteredTool| {
            there.layer() == tool.layer() && there.name() == tool.name()
        };
        let name = tool.name().clone();
        match self.tools.iter_mut().find(twin) {
            Some(there) if is_same_owner(there, &tool) => *there = tool,
            Some(there) => {
                return Err(RegisterError::NameTaken {
                    name: name.to_string(),
                    owner: tool.source().path.to_string(),
                    holder: there.source().path.to_string(),
                });
            }
            None => self.tools.push(tool),
        }
        let begins_active = self
            .effective()
            .into_iter()
            .find(|tool| *tool.name() == name)
            .is_some_and(|tool| self.selection.standing(tool) == Standing::Active);
        if begins_active && !self.active.contains(&name) {
            self.active.push(name);
        }
        Ok(())
    }

    /// Takes away what comes from a source, or the one tool of it that is named.
    pub(super) fn unregister(&mut self, source_path: &str, name: Option<&str>) -> bool {
        let is_meant = |tool: &RegisteredTool| {
            tool.source().path.as_ref() == source_path
                && name.is_none_or(|name| tool.name().as_ref() == name)
        };
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.tools)
            .into_iter()
            .partition(is_meant);
        self.tools = kept;
        // A tool that comes to light again stands as it would have without the one that is gone.
        let begins_active = |name: &Arc<str>| {
            self.effective().into_iter().any(|tool| {
                tool.name() == name && self.selection.standing(tool) == Standing::Active
            })
        };
        let stays =
            |name: &&Arc<str>| !gone.iter().any(|tool| tool.name() == *name) || begins_active(name);
        self.active = self.active.iter().filter(stays).cloned().collect();
        !gone.is_empty()
    }

    pub(super) fn set_selection(&mut self, selection: Selection) {
        self.selection = selection;
        let standing = |tool: &&RegisteredTool| self.selection.standing(tool);
        self.active = self
            .effective()
            .into_iter()
            .filter(|tool| standing(tool) == Standing::Active)
            .map(|tool| tool.name().clone())
            .collect();
    }

    /// Returns one tool for each name, in the order in which the names first came.
    pub(super) fn effective(&self) -> Vec<&RegisteredTool> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut effective: Vec<&RegisteredTool> = Vec::new();
        for tool in &self.tools {
            match places
                .get(tool.name().as_ref())
                .and_then(|at| effective.get_mut(*at))
            {
                Some(there) if there.layer() < tool.layer() => *there = tool,
                Some(_) => {}
                None => {
                    places.insert(tool.name(), effective.len());
                    effective.push(tool);
                }
            }
        }
        effective
    }

    /// Returns a tool of the lowest layer.
    pub(super) fn built_in(&self, name: &str) -> Option<&RegisteredTool> {
        let mut of_name = self
            .tools
            .iter()
            .filter(|tool| tool.name().as_ref() == name);
        of_name.find(|tool| tool.layer() == Layer::BuiltIn)
    }

    /// Returns the tools that are known, in order.
    pub(super) fn known(&self) -> Vec<&RegisteredTool> {
        let mut tools = self.effective();
        tools.retain(|tool| !matches!(self.selection.standing(tool), Standing::Unknown(_)));
        tools
    }

    /// Returns the tools that are active, in the order of the active set.
    pub(super) fn active(&self) -> Vec<&RegisteredTool> {
        let known = self.known();
        let by_name: HashMap<&Arc<str>, &RegisteredTool> =
            known.into_iter().map(|tool| (tool.name(), tool)).collect();
        self.active
            .iter()
            .filter_map(|name| by_name.get(name).copied())
            .collect()
    }

    pub(super) fn change_active(&mut self, change: &ActiveChange) -> ActiveChanged {
        let known: Vec<Arc<str>> = self
            .known()
            .iter()
            .map(|tool| tool.name().clone())
            .collect();
        let before = self.active.clone();
        match change {
            ActiveChange::Set(names) => {
                self.active.retain(|name| names.contains(name));
                self.append(names, &known);
            }
            ActiveChange::Add(names) => self.append(names, &known),
            ActiveChange::Remove(names) => self.active.retain(|name| !names.contains(name)),
        }
        let without = |all: &[Arc<str>], some: &[Arc<str>]| -> Vec<Arc<str>> {
            all.iter()
                .filter(|name| !some.contains(name))
                .cloned()
                .collect()
        };
        ActiveChanged {
            active: self.active.clone(),
            added: without(&self.active, &before),
            removed: without(&before, &self.active),
        }
    }

    fn append(&mut self, names: &[Arc<str>], known: &[Arc<str>]) {
        for name in names {
            if known.contains(name) && !self.active.contains(name) {
                self.active.push(name.clone());
            }
        }
    }

    pub(super) fn rows(&self) -> Vec<ToolRow> {
        self.effective()
            .into_iter()
            .map(|tool| self.row(tool))
            .collect()
    }

    fn row(&self, tool: &RegisteredTool) -> ToolRow {
        let active = self.active.contains(tool.name());
        let standing = self.selection.standing(tool);
        let reason = match standing {
            Standing::Active => InactiveReason::MadeInactive,
            Standing::Inactive(reason) | Standing::Unknown(reason) => reason,
        };
        let others = self
            .tools
            .iter()
            .filter(|other| other.name() == tool.name());
        ToolRow {
            name: tool.name().clone(),
            active,
            reason_if_not: (!active).then_some(reason),
            known: !matches!(standing, Standing::Unknown(_)),
            layer: tool.layer(),
            source: tool.source().clone(),
            description: tool.spec().description.clone(),
            replaces: others
                .filter(|other| other.layer() < tool.layer())
                .map(|other| other.source().clone())
                .collect(),
        }
    }
}

/// Tells whether a tool is registered anew; nobody registers a built-in twice on purpose.
fn is_same_owner(there: &RegisteredTool, tool: &RegisteredTool) -> bool {
    tool.layer() != Layer::BuiltIn && there.source().path == tool.source().path
}
