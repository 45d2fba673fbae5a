use std::sync::Arc;

use deed_schema::Sha256Hash;

use super::Policy;
use super::book::RuleBook;
use super::build::{Compiled, PolicyText, PutAside, too_large};
use super::extensions::ExtensionSection;
use super::fault::PolicyFaults;
use super::file::PolicyFile;
use super::ground::Ground;
use super::limits::LimitMerge;
use super::mode::{AuditDurability, PermissionMode, SqlWrites, Tier};
use super::rule::{Rule, RuleList, RuleRef};

/// Files while they are put together, from the tier that weighs most.
#[derive(Default)]
pub(crate) struct Merge {
    /// Whether a project's file counts in full, as when it is tested alone.
    trusts_all: bool,
    rules: Vec<Rule>,
    aside_rules: Vec<Rule>,
    put_aside: Vec<PutAside>,
    limits: LimitMerge,
    durability: AuditDurability,
    sql_writes_ask: bool,
    ceiling: Option<PermissionMode>,
    mode: Option<PermissionMode>,
    extensions: Vec<ExtensionSection>,
}

impl Merge {
    pub(crate) fn trusting_all() -> Self {
        Self {
            trusts_all: true,
            ..Self::default()
        }
    }

    pub(crate) fn finish(
        mut self,
        files: &[Arc<(PolicyText, PolicyFile)>],
        ground: Ground,
        mode: Option<PermissionMode>,
    ) -> Result<Policy, PolicyFaults> {
        self.mode = mode;
        // Limits of a file that only tightens are weighed against all others.
        let is_tightening = |file: &PolicyText| file.only_tightens() && !self.trusts_all;
        let (tightening, counting): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| is_tightening(&file.0));
        for file in counting {
            self.take(&file.0, &file.1);
        }
        for file in tightening {
            self.tighten(&file.0, &file.1);
        }
        let ceiling = self.ceiling.unwrap_or(PermissionMode::Bypass);
        let compiled = Compiled {
            ground,
            mode: self.mode.unwrap_or_default().min(ceiling),
            ceiling,
            book: RuleBook::new(&[]).map_err(too_large)?,
            rules: self.rules,
            limits: self.limits,
            durability: self.durability,
            sql_writes_ask: self.sql_writes_ask,
            extensions: self.extensions,
            put_aside: self.put_aside,
            aside_rules: self.aside_rules,
            version: Sha256Hash::of(b""),
        };
        compiled.finish()
    }

    fn take(&mut self, text: &PolicyText, file: &PolicyFile) {
        let mode = file.mode.as_ref().map(|(mode, _)| *mode);
        if text.tier == Tier::Admin {
            self.ceiling = [self.ceiling, mode].into_iter().flatten().min();
        } else {
            self.mode = self.mode.or(mode);
        }
        for (rule, _) in rules(text, file) {
            self.rules.push(rule);
        }
        self.limits.take(&file.limits);
        self.take_extensions(file, true);
        self.take_what_tightens(file);
    }

    fn tighten(&mut self, text: &PolicyText, file: &PolicyFile) {
        for (rule, line) in rules(text, file) {
            if rule.at.list == RuleList::Allow {
                let what = format!("allow `{}`", rule.at.spec);
                self.put_aside(text, line, what);
                self.aside_rules.push(rule);
            } else {
                self.rules.push(rule);
            }
        }
        if let Some((mode, place)) = &file.mode {
            if *mode > self.mode.unwrap_or_default() {
                self.put_aside(text, place.line_1based, format!("mode `{mode}`"));
            } else {
                self.mode = self.mode.or(Some(*mode));
            }
        }
        if let Some((SqlWrites::Unattended, place)) = &file.sql_writes {
            self.put_aside(text, place.line_1based, "sqlWrites `unattended`".to_owned());
        }
        for (name, value, place) in self.limits.tighten(&file.limits) {
            self.put_aside(text, place.line_1based, format!("{name} `{value}`"));
        }
        self.take_extensions(file, false);
        self.take_what_tightens(file);
    }

    fn take_extensions(&mut self, file: &PolicyFile, grants: bool) {
        if !file.extensions.is_empty() {
            self.extensions.push(ExtensionSection {
                grants,
                entries: file.extensions.clone(),
            });
        }
    }

    fn take_what_tightens(&mut self, file: &PolicyFile) {
        self.durability = self.durability.max(file.durability.unwrap_or_default());
        self.sql_writes_ask |= matches!(file.sql_writes, Some((SqlWrites::Ask, _)));
    }

    fn put_aside(&mut self, text: &PolicyText, line_1based: u32, what: String) {
        self.put_aside.push(PutAside {
            file: Arc::clone(&text.file),
            line_1based,
            what,
        });
    }
}

fn rules<'f>(text: &'f PolicyText, file: &'f PolicyFile) -> impl Iterator<Item = (Rule, u32)> + 'f {
    let is_unattended = matches!(file.sql_writes, Some((SqlWrites::Unattended, _)));
    file.rules.iter().map(move |(list, index, spec, place)| {
        let rule = Rule {
            at: Arc::new(RuleRef {
                tier: text.tier,
                file: Some(Arc::clone(&text.file)),
                line_1based: Some(place.line_1based),
                list: *list,
                index: *index,
                spec: spec.text.clone(),
            }),
            spec: Arc::clone(spec),
            is_unattended,
        };
        (rule, place.line_1based)
    })
}
