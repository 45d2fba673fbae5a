mod plan;
mod scalar;

use serde_json::{Map, Value};

pub(crate) use plan::Plan;
use plan::{Node, NodeId, Union};

use crate::keywords::Kind;
use crate::strict;

/// Bounds the recursion: 64 levels of arguments with a few `$ref`, `allOf` or `anyOf` steps on each.
const MAX_STEPS_DOWN: usize = 256;
/// Bounds the work on schemas whose unions or references multiply; what is left stays as it is.
const FUEL: usize = 1_000_000;
/// What trying one branch of a union costs, since each try validates.
const BRANCH_FUEL: usize = 200;

impl Plan {
    /// Turns arguments into what the schema most plainly means by them. What has no plain meaning
    /// stays as it is, for the validator to refuse; what the schema accepts comes back unchanged,
    /// but for integers written as `3.0`.
    pub(crate) fn coerce(&self, arguments: Value) -> Value {
        let mut walk = Walk {
            plan: self,
            fuel: FUEL,
        };
        walk.convert(
            Step {
                node: Plan::ROOT,
                down: 0,
                may_wrap: true,
            },
            arguments,
        )
    }

    /// Tells whether a schema may accept a value of a kind; in doubt it may.
    fn may_take(&self, id: NodeId, kind: Kind, hops: usize) -> bool {
        let Some(node) = self.node(id).filter(|_| hops < 32) else {
            return true;
        };
        let inner = |id: &NodeId| self.may_take(*id, kind, hops + 1);
        let named = node.kinds.is_empty() || node.kinds.contains(&kind);
        let member = node
            .members
            .as_ref()
            .is_none_or(|members| members.iter().any(|member| Kind::of(member) == kind));
        let branch = node
            .unions
            .iter()
            .all(|union| union.branches.iter().any(|(id, _)| inner(id)));
        !node.never && named && member && branch && node.all_of.iter().all(inner)
    }
}

#[derive(Clone, Copy)]
struct Step {
    node: NodeId,
    down: usize,
    may_wrap: bool,
}

impl Step {
    fn beside(self, node: NodeId) -> Self {
        Self {
            node,
            down: self.down + 1,
            ..self
        }
    }

    fn below(self, node: NodeId) -> Self {
        Self {
            node,
            down: self.down + 1,
            may_wrap: true,
        }
    }
}

struct Walk<'a> {
    plan: &'a Plan,
    fuel: usize,
}

impl Walk<'_> {
    fn convert(&mut self, step: Step, mut value: Value) -> Value {
        let plan = self.plan;
        let Some(node) = plan.node(step.node) else {
            return value;
        };
        if step.down > MAX_STEPS_DOWN || !self.burn(1) {
            return value;
        }
        for id in &node.all_of {
            value = self.convert(step.beside(*id), value);
        }
        if let Some(members) = &node.members {
            value = scalar::to_member(members, value);
        }
        value = self.by_kind(node, step, value);
        for union in &node.unions {
            value = self.by_branch(union, step, value);
        }
        value
    }

    fn burn(&mut self, fuel: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(fuel);
        self.fuel > 0
    }

    fn by_kind(&mut self, node: &Node, step: Step, value: Value) -> Value {
        let value = scalar::to_kinds(&node.kinds, parsed(&node.kinds, value));
        match value {
            single if step.may_wrap && node.wraps(&single) => {
                Value::Array(self.items(node, step, vec![single], false))
            }
            Value::Object(members) => Value::Object(self.members(node, step, members)),
            Value::Array(items) => Value::Array(self.items(node, step, items, true)),
            scalar => scalar,
        }
    }

    fn members(
        &mut self,
        node: &Node,
        step: Step,
        mut members: Map<String, Value>,
    ) -> Map<String, Value> {
        members.retain(|key, value| !self.means_absent(node, key, value));
        for (key, slot) in &mut members {
            for id in node.schemas_of(key) {
                *slot = self.convert(step.below(id), slot.take());
            }
        }
        members
    }

    /// An optional field with `null` or `""`, where the schema takes neither, was meant to be left out.
    fn means_absent(&self, node: &Node, key: &str, value: &Value) -> bool {
        let kind = match value {
            Value::Null => Kind::Null,
            Value::String(text) if text.is_empty() => Kind::String,
            _ => return false,
        };
        let Some(id) = node.properties.get(key) else {
            return false;
        };
        !node.required.contains(key) && !self.plan.may_take(*id, kind, 0)
    }

    fn items(&mut self, node: &Node, step: Step, items: Vec<Value>, may_wrap: bool) -> Vec<Value> {
        if node.prefix.is_empty() && node.items.is_none() {
            return items;
        }
        let each = items.into_iter().enumerate();
        each.map(
            |(at, item)| match node.prefix.get(at).copied().or(node.items) {
                Some(id) => self.convert(
                    Step {
                        may_wrap,
                        ..step.below(id)
                    },
                    item,
                ),
                None => item,
            },
        )
        .collect()
    }

    fn by_branch(&mut self, union: &Union, step: Step, value: Value) -> Value {
        let accepting = union
            .branches
            .iter()
            .find(|(_, validator)| validator.is_valid(&value));
        if let Some((id, _)) = accepting {
            let converted = self.convert(step.beside(*id), value.clone());
            return if union.whole.is_valid(&converted) {
                converted
            } else {
                value
            };
        }
        for (id, _) in &union.branches {
            if !self.burn(BRANCH_FUEL) {
                break;
            }
            let converted = self.convert(step.beside(*id), value.clone());
            if union.whole.is_valid(&converted) {
                return converted;
            }
        }
        value
    }
}

/// Reads a text as JSON where the schema wants an array or an object and takes no text.
fn parsed(kinds: &[Kind], value: Value) -> Value {
    let Value::String(text) = &value else {
        return value;
    };
    let wanted = kinds.contains(&Kind::Array) || kinds.contains(&Kind::Object);
    if !wanted || kinds.contains(&Kind::String) || !text.trim_start().starts_with(['[', '{']) {
        return value;
    }
    match strict::read(text) {
        Ok(inner) if kinds.contains(&Kind::of(&inner)) => inner,
        _ => value,
    }
}
