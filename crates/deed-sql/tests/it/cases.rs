//! The statements of `cases.json`: what each does on its engine, measured, and what must become of it.

use deed_sql::{Dialect, SqlClass};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    dialect: String,
    pub(crate) statement: String,
    pub(crate) verdict: Verdict,
    #[serde(default)]
    pub(crate) over_refusal_ok: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Allow,
    AllowBounded,
    Approve,
    Deny,
}

impl Verdict {
    pub(crate) fn runs_unasked(self) -> bool {
        self <= Self::AllowBounded
    }
}

pub(crate) fn of(dialect: Dialect) -> Vec<Case> {
    let file: File = serde_json::from_str(include_str!("cases.json")).unwrap();
    let mut cases = file.cases;
    cases.retain(|case| case.dialect == dialect.as_str());
    cases
}

/// What the class of a statement lets become of it; both kinds of reads are one.
pub(crate) fn verdict(class: SqlClass) -> Verdict {
    match class {
        class if class.is_read() => Verdict::Allow,
        class if class.is_denied() => Verdict::Deny,
        _ => Verdict::Approve,
    }
}
