use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::mode::PermissionMode;
use super::rule::RuleRef;

/// What the policy says of a call.
///
/// Shape: ordered by weight; deny beats ask beats allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyVerdict {
    /// It runs.
    Allow,
    /// A person must be asked.
    Ask,
    /// It must not run.
    Deny,
}

impl PolicyVerdict {
    pub(crate) const WORDS: [(&str, Self); 3] = [
        ("allow", Self::Allow),
        ("ask", Self::Ask),
        ("deny", Self::Deny),
    ];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for PolicyVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule.
    Rule(Arc<RuleRef>),
    /// The permission mode.
    Mode(PermissionMode),
    /// Something that holds in every policy, by its name.
    BuiltIn(&'static str),
}

impl Basis {
    /// Returns a stable text for the audit.
    pub fn id(&self) -> String {
        match self {
            Self::Rule(rule) => rule.id(),
            Self::Mode(mode) => format!("mode:{mode}"),
            Self::BuiltIn(name) => format!("built-in:{name}"),
        }
    }

    /// Returns the rule, if it is one.
    pub fn rule(&self) -> Option<&RuleRef> {
        match self {
            Self::Rule(rule) => Some(rule),
            Self::Mode(_) | Self::BuiltIn(_) => None,
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => rule.fmt(f),
            Self::Mode(mode) => write!(f, "mode `{mode}`"),
            Self::BuiltIn(name) => write!(f, "built in: {name}"),
        }
    }
}

impl Serialize for Basis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.id())
    }
}

/// What the policy says of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it says.
    pub verdict: PolicyVerdict,
    /// What that rests on.
    pub basis: Basis,
    /// Why, and what to do, in a sentence for the person or the model.
    pub reason: String,
    /// For a command, each part of it with its own verdict.
    pub parts: Vec<Part>,
    /// What a person should know before answering.
    pub warnings: Vec<String>,
    /// Whether a database write runs without a person's yes.
    pub is_unattended_write: bool,
}

impl Decision {
    /// Returns a stable text for the audit.
    pub fn rule_id(&self) -> String {
        self.basis.id()
    }
}

/// What the policy says of one part of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The part, as written.
    pub text: String,
    /// What it says.
    pub verdict: PolicyVerdict,
    /// What that rests on.
    pub basis: Basis,
    /// Why.
    pub reason: String,
}

/// Why something is asked, from the lightest to the gravest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// Nothing speaks for it.
    Unruled,
    /// A rule wants it asked.
    Rule,
    /// It writes to a database.
    SqlWrite,
    /// A denial may cover it; that is never settled by silence.
    Doubt,
}

/// A verdict before the mode has its say.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) verdict: PolicyVerdict,
    pub(crate) cause: Cause,
    pub(crate) basis: Basis,
    pub(crate) reason: String,
}

impl Finding {
    pub(crate) fn allow(basis: Basis, reason: impl Into<String>) -> Self {
        Self::new(PolicyVerdict::Allow, Cause::Unruled, basis, reason.into())
    }

    pub(crate) fn ask(cause: Cause, basis: Basis, reason: impl Into<String>) -> Self {
        Self::new(PolicyVerdict::Ask, cause, basis, reason.into())
    }

    pub(crate) fn deny(basis: Basis, reason: impl Into<String>) -> Self {
        Self::new(PolicyVerdict::Deny, Cause::Unruled, basis, reason.into())
    }

    pub(crate) fn allowed_by(rule: &Arc<RuleRef>) -> Self {
        Self::allow(Basis::Rule(Arc::clone(rule)), format!("{rule} allows this"))
    }

    pub(crate) fn asked_by(rule: &Arc<RuleRef>) -> Self {
        let reason = format!("{rule} wants this asked");
        Self::ask(Cause::Rule, Basis::Rule(Arc::clone(rule)), reason)
    }

    pub(crate) fn denied_by(rule: &Arc<RuleRef>) -> Self {
        let reason = format!("{rule} denies this; find another way, or ask the user to do it");
        Self::deny(Basis::Rule(Arc::clone(rule)), reason)
    }

    fn new(verdict: PolicyVerdict, cause: Cause, basis: Basis, reason: String) -> Self {
        Self {
            verdict,
            cause,
            basis,
            reason,
        }
    }

    /// Returns the graver of two; of equals the first.
    pub(crate) fn or_graver(self, other: Self) -> Self {
        if other.weight() > self.weight() {
            other
        } else {
            self
        }
    }

    /// Gives way to another if that is graver.
    pub(crate) fn give_way_to(&mut self, other: &Self) {
        if other.weight() > self.weight() {
            *self = other.clone();
        }
    }

    pub(crate) fn weight(&self) -> (PolicyVerdict, Cause) {
        (self.verdict, self.cause)
    }
}
