use std::sync::Arc;

use deed_schema::Sha256Hash;
use serde::Serialize;
use serde_json::{Value, json};

use super::Policy;
use super::book::RuleBook;
use super::extensions::ExtensionSection;
use super::fault::{PolicyFault, PolicyFaults};
use super::file::{self, PolicyFile, silent_sql_writes};
use super::ground::Ground;
use super::limits::LimitMerge;
use super::merge::Merge;
use super::mode::{AuditDurability, PermissionMode, Tier};
use super::rule::{Rule, RuleList, RuleRef};
use super::spec::{Spec, Target};
use super::tests_in_file;

/// What a policy is built from.
#[derive(Clone, Debug, Default)]
pub struct PolicyInput {
    /// The texts of policy files, in any order.
    pub files: Vec<PolicyText>,
    /// Where the rules stand.
    pub ground: Ground,
    /// The mode that the command line names.
    pub mode: Option<PermissionMode>,
}

/// The text of a policy file.
#[derive(Clone, Debug)]
pub struct PolicyText {
    /// Whose word it is.
    pub tier: Tier,
    /// The file, as people should see it named.
    pub file: Arc<str>,
    /// What stands in it.
    pub text: String,
    /// Whether a person trusts exactly this text; only a project's file needs it.
    pub is_trusted: bool,
}

impl PolicyText {
    /// Describes a file; one of a project starts out untrusted.
    pub fn new(tier: Tier, file: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self {
            tier,
            file: file.into(),
            text: text.into(),
            is_trusted: tier != Tier::Project,
        }
    }

    /// Notes whether a person trusts exactly this text.
    pub fn trusted(self, is_trusted: bool) -> Self {
        Self { is_trusted, ..self }
    }

    pub(crate) fn only_tightens(&self) -> bool {
        self.tier == Tier::Project && !self.is_trusted
    }
}

/// Something that a file wanted and did not get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PutAside {
    /// The file.
    pub file: Arc<str>,
    /// The line.
    #[serde(rename = "line")]
    pub line_1based: u32,
    /// What it wanted, such as ``allow `Bash(make *)` ``.
    pub what: String,
}

/// A policy, ready to decide.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) ground: Ground,
    pub(crate) mode: PermissionMode,
    /// The loosest mode that may be chosen.
    pub(crate) ceiling: PermissionMode,
    pub(crate) rules: Vec<Rule>,
    pub(crate) book: RuleBook,
    pub(crate) limits: LimitMerge,
    pub(crate) durability: AuditDurability,
    /// Whether a file insists that database writes are asked.
    pub(crate) sql_writes_ask: bool,
    pub(crate) extensions: Vec<ExtensionSection>,
    pub(crate) put_aside: Vec<PutAside>,
    pub(crate) aside_rules: Vec<Rule>,
    pub(crate) version: Sha256Hash,
}

impl Policy {
    /// Builds a policy.
    ///
    /// Errors: everything that is wrong with any of the files, and every test in them that fails.
    pub fn build(input: PolicyInput) -> Result<Self, PolicyFaults> {
        let mut faults = Vec::new();
        let mut files = Vec::with_capacity(input.files.len());
        for text in input.files {
            let faults_before = faults.len();
            let mut file = file::read(&text.file, &text.text, &input.ground, &mut faults);
            let tests = std::mem::take(&mut file.tests);
            let file = Arc::new((text, file));
            if faults.len() == faults_before && !tests.is_empty() {
                let alone = Self::of_one_file(&file, &input.ground)?;
                faults.extend(tests_in_file::run(&alone, &tests));
            }
            files.push(file);
        }
        if !faults.is_empty() {
            return Err(PolicyFaults(faults));
        }
        files.sort_by_key(|file| file.0.tier);
        Merge::default().finish(&files, input.ground, input.mode)
    }

    /// Adds rules that allow.
    ///
    /// Errors: a spec that cannot be read, or that no answer of a person may stand for: every
    /// command, or database writes.
    pub fn with_rules<S: AsRef<str>>(
        &self,
        tier: Tier,
        specs: impl IntoIterator<Item = S>,
    ) -> Result<Self, PolicyFaults> {
        let mut compiled = Compiled::clone(&self.0);
        let own = compiled.rules.iter().filter(|rule| rule.at.tier == tier);
        let mut index = own.count();
        let mut faults = Vec::new();
        for spec in specs {
            match granted_spec(spec.as_ref(), &compiled.ground) {
                Ok(spec) => {
                    compiled.rules.push(granted_rule(tier, index, spec));
                    index += 1;
                }
                Err(reason) => faults.push(PolicyFault {
                    place: None,
                    reason: format!("{} rule {reason}", tier.as_str()),
                }),
            }
        }
        if !faults.is_empty() {
            return Err(PolicyFaults(faults));
        }
        compiled.finish()
    }

    /// Takes another mode, as far as the admin's file lets it be loosened.
    pub fn with_mode(&self, mode: PermissionMode) -> Self {
        let mut compiled = Compiled::clone(&self.0);
        compiled.mode = mode.min(compiled.ceiling);
        compiled.version = compiled.hash();
        Self(Arc::new(compiled))
    }

    fn of_one_file(
        file: &Arc<(PolicyText, PolicyFile)>,
        ground: &Ground,
    ) -> Result<Self, PolicyFaults> {
        let files = std::slice::from_ref(file);
        Merge::trusting_all().finish(files, ground.clone(), None)
    }
}

fn granted_spec(text: &str, ground: &Ground) -> Result<Spec, String> {
    let spec = Spec::parse(text, ground).map_err(|error| format!("`{text}`: {error}"))?;
    if spec.covers_sql_writes() || spec.covers_refused_sql_only() {
        return Err(silent_sql_writes(text));
    }
    if matches!(spec.target, Target::Command(None)) {
        return Err(format!(
            "`{text}` would allow every command; name the command"
        ));
    }
    Ok(spec)
}

fn granted_rule(tier: Tier, index: usize, spec: Spec) -> Rule {
    Rule {
        at: Arc::new(RuleRef {
            tier,
            file: None,
            line_1based: None,
            list: RuleList::Allow,
            index,
            spec: spec.text.clone(),
        }),
        spec: Arc::new(spec),
        is_unattended: false,
    }
}

impl Compiled {
    pub(crate) fn finish(mut self) -> Result<Policy, PolicyFaults> {
        self.book = RuleBook::new(&self.rules).map_err(too_large)?;
        self.version = self.hash();
        Ok(Policy(Arc::new(self)))
    }

    fn hash(&self) -> Sha256Hash {
        let list = |list: RuleList| -> Value {
            let own = self.rules.iter().filter(|rule| rule.at.list == list);
            let mut specs: Vec<Value> = own.map(|rule| rule.to_json()).collect();
            specs.sort_by_key(Value::to_string);
            specs.dedup();
            specs.into()
        };
        let extensions: Vec<Value> = self.extensions.iter().map(|it| it.to_json()).collect();
        Sha256Hash::of_canonical(&json!({
            "version": 1,
            "mode": self.mode,
            "deny": list(RuleList::Deny),
            "ask": list(RuleList::Ask),
            "allow": list(RuleList::Allow),
            "sqlWritesAsk": self.sql_writes_ask,
            "limits": self.limits.to_json(),
            "durability": self.durability,
            "extensions": extensions,
        }))
    }
}

impl Rule {
    fn to_json(&self) -> Value {
        let is_unattended = self.is_unattended && self.spec.covers_sql_writes();
        json!({ "spec": self.spec.text, "unattended": is_unattended })
    }
}

pub(crate) fn too_large(error: globset::Error) -> PolicyFaults {
    PolicyFaults(vec![PolicyFault {
        place: None,
        reason: format!("the path patterns are too large together ({error}); write fewer"),
    }])
}
