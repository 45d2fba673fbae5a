use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::mode::Tier;
use super::spec::Spec;

/// The three lists of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleList {
    /// What must not run.
    Deny,
    /// What must be asked.
    Ask,
    /// What runs.
    Allow,
}

impl RuleList {
    pub(crate) const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// Returns the key of it in a file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// Names a rule: whose it is, where it stands and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleRef {
    /// Whose it is.
    pub tier: Tier,
    /// The file it stands in, if in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The line it stands on.
    #[serde(rename = "line", skip_serializing_if = "Option::is_none")]
    pub line_1based: Option<u32>,
    /// The list it stands in.
    pub list: RuleList,
    /// Its place in that list, counted from zero.
    pub index: usize,
    /// What it says, to the letter.
    pub spec: String,
}

impl RuleRef {
    /// Returns a stable text for the audit, such as `user:permissions.allow[2] Bash(cargo test *)`.
    pub fn id(&self) -> String {
        let (tier, list) = (self.tier.as_str(), self.list.as_str());
        format!("{tier}:permissions.{list}[{}] {}", self.index, self.spec)
    }
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.spec)?;
        match (&self.file, self.line_1based) {
            (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
            _ => write!(f, " ({} rule)", self.tier.as_str()),
        }
    }
}

/// A rule that counts.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) at: Arc<RuleRef>,
    pub(crate) spec: Arc<Spec>,
    /// Whether its file lets database writes run unasked.
    pub(crate) is_unattended: bool,
}
