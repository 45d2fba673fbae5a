use super::Findings;
use crate::policy::Policy;
use crate::policy::decision::{Basis, Cause, Finding};
use crate::policy::fields::{SQL_READS, SQL_WRITES};
use crate::policy::request::Request;

impl Policy {
    pub(super) fn find_sql(&self, request: &Request<'_>, database: &str) -> Findings {
        let (class, why) = match &request.plan.classification {
            Some(found) => (found.class.as_str(), found.reason.as_str()),
            None => ("invalid", "nobody said what kind of statement it is"),
        };
        let is_write = SQL_WRITES.contains(&class);
        if !is_write && !SQL_READS.contains(&class) {
            let reason = format!("{why} (class `{class}`), and no rule or person can let that run");
            return Finding::deny(Basis::BuiltIn("sql-class"), reason).into();
        }
        let rules = &self.0.book;
        if let Some(rule) = rules.deny.by_sql(class, database, false) {
            return Finding::denied_by(rule).into();
        }
        let question = rules.ask.by_sql(class, database, false);
        if is_write {
            return match question {
                Some(rule) => Finding {
                    cause: Cause::SqlWrite,
                    ..Finding::asked_by(rule)
                }
                .into(),
                None => self.find_sql_write(request, class, database),
            };
        }
        let finding = match (question, rules.allow.by_sql(class, database, false)) {
            (Some(rule), _) => Finding::asked_by(rule),
            (None, Some(rule)) if request.is_built_in() => Finding::allowed_by(rule),
            (None, _) if request.has_trusted_plan() => {
                let mode = self.mode();
                let reason = format!("mode `{mode}` lets statements that only read run");
                Finding::allow(Basis::Mode(mode), reason)
            }
            (None, _) => self.unruled("a statement of a tool that Deed does not ship"),
        };
        finding.into()
    }

    fn find_sql_write(&self, request: &Request<'_>, class: &str, database: &str) -> Findings {
        let rule = self.0.book.allow.by_sql(class, database, true);
        let rule = rule.filter(|_| request.is_built_in() && !self.0.sql_writes_ask);
        match rule {
            Some(rule) => Findings {
                is_unattended_write: true,
                ..Finding::allowed_by(rule).into()
            },
            None => {
                let reason = format!(
                    "it changes `{database}` (class `{class}`), which a person must approve"
                );
                let basis = Basis::BuiltIn("sql-write");
                Finding::ask(Cause::SqlWrite, basis, reason).into()
            }
        }
    }
}
