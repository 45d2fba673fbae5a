use std::fmt;
use std::path::PathBuf;

use deed_agent::{Access, Classification};
use serde::Serialize;

use super::Policy;
use super::book::RuleSet;
use super::build::PutAside;
use super::decision::{Part, PolicyVerdict};
use super::mode::PermissionMode;
use super::request::Request;
use super::rule::{RuleList, RuleRef};
use super::spec::Kind;
use crate::visible::visible;

/// Why a call would run, be asked or be refused, for people and for `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What the policy says.
    pub verdict: PolicyVerdict,
    /// Why.
    pub reason: String,
    /// The stable text for the audit.
    pub rule_id: String,
    /// The rule that decides, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRef>,
    /// The mode that holds.
    pub mode: PermissionMode,
    /// What a classifier of the tool said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// For a command, each part of it.
    pub parts: Vec<Part>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Rules of untrusted files that would have allowed it.
    pub put_aside: Vec<PutAside>,
    /// The rule that "always" would store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always: Option<String>,
}

/// Explains a decision.
pub fn explain(policy: &Policy, request: &Request<'_>) -> Explanation {
    let decision = policy.decide(request);
    let asks = decision.verdict == PolicyVerdict::Ask;
    let class = |found: &Classification| format!("{}: {}", found.class, found.reason);
    Explanation {
        verdict: decision.verdict,
        rule_id: decision.rule_id(),
        rule: decision.basis.rule().cloned(),
        reason: decision.reason,
        mode: policy.mode(),
        class: request.plan.classification.as_ref().map(class),
        parts: decision.parts,
        warnings: decision.warnings,
        put_aside: policy.aside_for(request),
        always: match asks {
            true => policy.rule_for_always(request),
            false => None,
        },
    }
}

impl Policy {
    fn aside_for(&self, request: &Request<'_>) -> Vec<PutAside> {
        let rules = self.0.aside_rules.iter();
        rules
            .filter_map(|rule| {
                let alone = RuleSet::new(RuleList::Allow, std::slice::from_ref(rule)).ok()?;
                let rule = allowed_by(&alone, request)?;
                Some(PutAside {
                    file: rule.file.clone().unwrap_or_default(),
                    line_1based: rule.line_1based.unwrap_or_default(),
                    what: format!("allow `{}`", rule.spec),
                })
            })
            .collect()
    }
}

/// Finds out whether a list speaks for at least a part of a call.
fn allowed_by<'r>(list: &'r RuleSet, request: &Request<'_>) -> Option<&'r RuleRef> {
    if let Some(rule) = list.by_tool(request) {
        return Some(rule);
    }
    if !request.is_built_in() {
        return None;
    }
    if let Some(rule) = request.kinds().find_map(|kind| list.by_kind(kind)) {
        return Some(rule);
    }
    let of_paths = |kind: Kind, paths: &[PathBuf]| {
        let mut paths = paths.iter();
        paths.find_map(|path| list.by_path(kind, path))
    };
    let rule = match &request.plan.access {
        Access::Read(paths) => of_paths(Kind::Read, paths),
        Access::Write(paths) => of_paths(Kind::Write, paths),
        Access::Command { command, .. } => {
            let reading = request.reading(command);
            let mut rules = list.commands();
            rules.find_map(|(rule, pattern)| {
                let mut segments = reading.segments.iter();
                segments
                    .any(|segment| pattern.allows(segment))
                    .then_some(rule)
            })
        }
        Access::Sql { database, .. } => {
            let class = request.plan.classification.as_ref()?;
            list.by_sql(&class.class, database, false)
        }
        Access::None | Access::Network { .. } | Access::Opaque => None,
    };
    rule.map(|rule| &**rule)
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.verdict, visible(&self.reason))?;
        writeln!(f, "  by    {}", visible(&self.rule_id))?;
        if let Some((file, line)) = self
            .rule
            .as_ref()
            .and_then(|rule| rule.file.as_ref().zip(rule.line_1based))
        {
            writeln!(f, "  at    {file}:{line}")?;
        }
        writeln!(f, "  mode  {}", self.mode)?;
        if let Some(class) = &self.class {
            writeln!(f, "  class {}", visible(class))?;
        }
        for part in &self.parts {
            let (text, basis) = (visible(&part.text), part.basis.id());
            let basis = visible(&basis);
            writeln!(f, "  {:<5} {text}  [{basis}]", part.verdict.as_str())?;
        }
        for warning in &self.warnings {
            writeln!(f, "  note  {}", visible(warning))?;
        }
        for aside in &self.put_aside {
            let PutAside {
                file,
                line_1based,
                what,
            } = aside;
            writeln!(
                f,
                "  aside {what} ({file}:{line_1based}) counts after `deed trust --policy {file}`"
            )?;
        }
        if let Some(always) = &self.always {
            writeln!(f, "  always stores {always}")?;
        }
        Ok(())
    }
}
