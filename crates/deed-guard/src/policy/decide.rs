use std::path::PathBuf;

use deed_agent::Access;

use super::Policy;
use super::decision::{Basis, Cause, Decision, Finding, Part, PolicyVerdict};
use super::fields::SQL_READS;
use super::mode::PermissionMode;
use super::request::Request;

mod command;
mod paths;
mod sql;

/// What was found of a call before the mode has its say.
pub(super) struct Findings {
    /// Each part of a command by its text; one entry without a text for anything else.
    parts: Vec<(Option<String>, Finding)>,
    warnings: Vec<String>,
    is_unattended_write: bool,
}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        Self {
            parts: vec![(None, finding)],
            warnings: Vec::new(),
            is_unattended_write: false,
        }
    }
}

impl Policy {
    /// Decides on a call.
    ///
    /// Deny beats ask beats allow, whatever the order of the rules; the mode speaks where no rule
    /// does.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        self.weigh(request, |finding| self.settle(finding, request))
    }

    /// Decides on what a person wants to run by their own hand.
    ///
    /// What denies holds, and so does a doubt about a denial; nothing is asked, and the mode, which
    /// speaks of calls of models, says nothing.
    pub fn decide_for_person(&self, request: &Request<'_>) -> Decision {
        self.weigh(request, settle_for_person)
    }

    fn weigh(&self, request: &Request<'_>, settle: impl Fn(Finding) -> Finding) -> Decision {
        let mut found = self.find(request);
        self.name_rules(request, &mut found);
        let settled = found
            .parts
            .into_iter()
            .map(|(text, finding)| (text, settle(finding)));
        let mut parts = Vec::new();
        let mut gravest: Option<Finding> = None;
        for (text, finding) in settled {
            if let Some(text) = text {
                parts.push(Part {
                    text,
                    verdict: finding.verdict,
                    basis: finding.basis.clone(),
                    reason: finding.reason.clone(),
                });
            }
            gravest = Some(match gravest {
                Some(other) => other.or_graver(finding),
                None => finding,
            });
        }
        let finding = gravest.unwrap_or_else(|| settle(self.unruled("this")));
        Decision {
            verdict: finding.verdict,
            reason: whole_reason(&finding, &parts),
            basis: finding.basis,
            parts,
            warnings: found.warnings,
            is_unattended_write: found.is_unattended_write
                && finding.verdict == PolicyVerdict::Allow,
        }
    }

    fn find(&self, request: &Request<'_>) -> Findings {
        match &request.plan.access {
            Access::None if !request.has_trusted_plan() => {
                let what = format!(
                    "`{}`, which says itself that it touches nothing",
                    request.tool
                );
                self.unruled(&what).into()
            }
            Access::None => {
                let reason = "it touches nothing outside the program";
                Finding::allow(Basis::BuiltIn("no-effect"), reason).into()
            }
            Access::Read(paths) => self.find_read(request, paths).into(),
            Access::Write(paths) => self.find_write(request, paths).into(),
            Access::Command { command, cwd } => self.find_command(request, command, cwd),
            Access::Sql { database, .. } => self.find_sql(request, database),
            Access::Network { host } => self.unruled(&format!("a connection to `{host}`")).into(),
            Access::Opaque => {
                let what = format!("`{}`, which does not say what it touches", request.tool);
                self.unruled(&what).into()
            }
        }
    }

    /// Brings in the rules that speak of the tool by name, and those for every call of a kind.
    fn name_rules(&self, request: &Request<'_>, found: &mut Findings) {
        let rules = &self.0.book;
        let denial = rules.deny.by_tool(request);
        let denial = denial.or_else(|| request.kinds().find_map(|kind| rules.deny.by_kind(kind)));
        let question = rules.ask.by_tool(request);
        let question =
            question.or_else(|| request.kinds().find_map(|kind| rules.ask.by_kind(kind)));
        let permission = rules.allow.by_tool(request);
        let is_sql = matches!(request.plan.access, Access::Sql { .. });
        let cause = match is_sql && !only_looks(request) {
            true => Cause::SqlWrite,
            false => Cause::Rule,
        };
        let question = question.map(|rule| Finding {
            cause,
            ..Finding::asked_by(rule)
        });
        let denial = denial.map(Finding::denied_by);
        for (_, finding) in &mut found.parts {
            let is_unruled = finding.weight() == (PolicyVerdict::Ask, Cause::Unruled);
            if let Some(rule) = permission.filter(|_| is_unruled) {
                *finding = Finding::allowed_by(rule);
            }
            for graver in question.iter().chain(&denial) {
                finding.give_way_to(graver);
            }
        }
    }

    /// Lets the mode speak.
    fn settle(&self, finding: Finding, request: &Request<'_>) -> Finding {
        let mode = self.mode();
        if mode == PermissionMode::Plan
            && finding.verdict != PolicyVerdict::Deny
            && !only_looks(request)
        {
            let reason = "in mode `plan` only reads run; put it into the plan instead";
            return Finding::deny(Basis::Mode(mode), reason);
        }
        match (finding.verdict, mode) {
            (PolicyVerdict::Ask, PermissionMode::DontAsk) => {
                let reason = format!(
                    "{}, and mode `dontAsk` refuses what would have to be asked; \
                     find another way, or let the user add a rule that allows it",
                    finding.reason
                );
                Finding::deny(Basis::Mode(mode), reason)
            }
            (PolicyVerdict::Ask, PermissionMode::Bypass) => match finding.cause {
                Cause::Unruled | Cause::Rule => {
                    Finding::allow(Basis::Mode(mode), "mode `bypass` asks nothing")
                }
                Cause::SqlWrite => finding,
                Cause::Doubt => Finding::deny(finding.basis, finding.reason),
            },
            _ => finding,
        }
    }

    /// Makes the finding for what no rule speaks of.
    pub(super) fn unruled(&self, what: &str) -> Finding {
        let mode = self.mode();
        let reason = format!("no rule allows {what}");
        Finding::ask(Cause::Unruled, Basis::Mode(mode), reason)
    }

    /// Returns the path that a call wrote and the real paths that it leads to.
    pub(super) fn typed_and_real(&self, request: &Request<'_>, real: &[PathBuf]) -> Vec<PathBuf> {
        let ground = &self.0.ground;
        let typed = ground.absolute(&request.plan.subject, ground.working_folder());
        let mut paths = real.to_vec();
        if !paths.contains(&typed) {
            paths.push(typed);
        }
        paths
    }
}

/// Lets a person's own word stand for the answer to what would be asked.
fn settle_for_person(finding: Finding) -> Finding {
    match (finding.verdict, finding.cause, &finding.basis) {
        (PolicyVerdict::Deny, _, Basis::Rule(rule)) => {
            let reason = format!("{rule} denies this");
            Finding { reason, ..finding }
        }
        (PolicyVerdict::Ask, Cause::Doubt, _) => Finding::deny(finding.basis, finding.reason),
        (PolicyVerdict::Ask, ..) => {
            let reason = "a person's own command is that person's decision";
            Finding::allow(Basis::BuiltIn("person"), reason)
        }
        _ => finding,
    }
}

/// Tells whether a call leaves everything as it is.
fn only_looks(request: &Request<'_>) -> bool {
    match &request.plan.access {
        Access::Sql { .. } => {
            let class = request.plan.classification.as_ref();
            class.is_some_and(|found| SQL_READS.contains(&found.class.as_str()))
        }
        access => access.is_read_only(),
    }
}

fn whole_reason(finding: &Finding, parts: &[Part]) -> String {
    let deciding = parts.iter().find(|part| part.reason == finding.reason);
    match deciding {
        Some(part) if parts.len() > 1 && finding.verdict != PolicyVerdict::Allow => {
            format!("`{}`: {}", part.text, finding.reason)
        }
        _ => finding.reason.clone(),
    }
}
