use std::path::PathBuf;

use deed_agent::Access;

use super::Policy;
use super::decision::PolicyVerdict;
use super::fields::{SQL_READS, value_text};
use super::mode::{PermissionMode, Tier};
use super::path;
use super::request::Request;
use super::wildcard::escape;
use crate::shell::CommandPattern;
use crate::visible::is_unseen;

/// A rule that nobody can read at a glance is none that a person should store.
const MAX_SPEC_CHARS: usize = 1_000;

impl Policy {
    /// Returns the rule that "always" would store for a call.
    ///
    /// Shape: `None` where none may be stored: for database writes, for commands that run others,
    /// for a call that would still be asked or denied with the rule.
    pub fn rule_for_always(&self, request: &Request<'_>) -> Option<String> {
        let spec = match &request.plan.access {
            access if request.is_built_in() => kind_spec(request, access),
            _ => tool_spec(request),
        }?;
        if spec.chars().count() > MAX_SPEC_CHARS || spec.chars().any(is_unseen) {
            return None;
        }
        let with = self.with_rules(Tier::Session, [&spec]).ok()?;
        let decision = with.with_mode(PermissionMode::Default).decide(request);
        (decision.verdict == PolicyVerdict::Allow).then_some(spec)
    }
}

fn kind_spec(request: &Request<'_>, access: &Access) -> Option<String> {
    match access {
        Access::Read(paths) if request.reads_deep() => path_spec("Read", paths, "/**"),
        Access::Read(paths) => path_spec("Read", paths, ""),
        Access::Write(paths) => path_spec("Write", paths, ""),
        Access::Command { command, .. } => {
            let pattern = CommandPattern::for_always(&request.reading(command))?;
            Some(format!("Bash({pattern})"))
        }
        Access::Sql { database, .. } => {
            let class = &request.plan.classification.as_ref()?.class;
            let is_read = SQL_READS.contains(&class.as_str());
            is_read.then(|| format!("Sql(class:{class}, db:{})", escape(database)))
        }
        Access::None | Access::Network { .. } | Access::Opaque => None,
    }
}

/// Names the whole path: `./` would mean another file wherever the workspace has more folders.
fn path_spec(kind: &str, paths: &[PathBuf], below: &str) -> Option<String> {
    let [path] = paths else { return None };
    // The root alone cannot be written: `/` is the root with all below it.
    path.parent()?;
    let path = path::escape(path.to_str()?);
    Some(format!("{kind}({path}{below})"))
}

/// Names a tool, its source and each of its arguments, and rules any further argument out.
fn tool_spec(request: &Request<'_>) -> Option<String> {
    if matches!(request.plan.access, Access::Sql { .. }) {
        return None;
    }
    let args = request.args.as_object()?;
    let mut fields: Vec<String> = args
        .iter()
        .map(|(name, value)| format!("{}:{}", escape(name), escape(&value_text(value))))
        .collect();
    fields.sort();
    fields.push("!".to_owned());
    let source = &request.source.path;
    let source = match source.is_empty() {
        true => String::new(),
        false => format!("@{}", escape(source)),
    };
    let name = escape(request.tool);
    Some(format!("{name}{source}({})", fields.join(", ")))
}
