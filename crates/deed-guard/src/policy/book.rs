use std::path::Path;
use std::sync::Arc;

use globset::{Candidate, GlobSet};

use super::path::PathPattern;
use super::request::Request;
use super::rule::{Rule, RuleList, RuleRef};
use super::spec::{Kind, Target};
use crate::shell::CommandPattern;

/// All rules that count, ready to be matched.
#[derive(Clone, Debug)]
pub(crate) struct RuleBook {
    pub(crate) deny: RuleSet,
    pub(crate) ask: RuleSet,
    pub(crate) allow: RuleSet,
}

/// One list of rules.
///
/// What denies or asks matches greedily and whoever asks; what allows matches strictly and, for
/// kinds of access, only tools that Deed ships.
#[derive(Clone, Debug)]
pub(crate) struct RuleSet {
    list: RuleList,
    rules: Vec<Rule>,
    reads: PathIndex,
    writes: PathIndex,
}

/// The path patterns of a list, matched all at once.
#[derive(Clone, Debug, Default)]
struct PathIndex {
    globs: GlobSet,
    /// The rule of each glob.
    owners: Vec<usize>,
    /// The first rule for every path.
    bare: Option<usize>,
}

impl RuleBook {
    /// Errors: patterns that are too large together.
    pub(crate) fn new(rules: &[Rule]) -> Result<Self, globset::Error> {
        Ok(Self {
            deny: RuleSet::new(RuleList::Deny, rules)?,
            ask: RuleSet::new(RuleList::Ask, rules)?,
            allow: RuleSet::new(RuleList::Allow, rules)?,
        })
    }
}

impl RuleSet {
    pub(crate) fn new(list: RuleList, rules: &[Rule]) -> Result<Self, globset::Error> {
        let mut rules: Vec<Rule> = rules
            .iter()
            .filter(|rule| rule.at.list == list)
            .cloned()
            .collect();
        rules.sort_by_key(|rule| rule.at.tier);
        Ok(Self {
            list,
            reads: PathIndex::new(list, Kind::Read, &rules)?,
            writes: PathIndex::new(list, Kind::Write, &rules)?,
            rules,
        })
    }

    /// Finds a rule that speaks of the tool itself.
    pub(crate) fn by_tool(&self, request: &Request<'_>) -> Option<&Arc<RuleRef>> {
        if self.is_strict() && request.is_built_in() {
            return None;
        }
        let source = &request.source.path;
        self.find(|target| match target {
            Target::Tool(pattern) => {
                pattern.names(request.tool, source) && pattern.fits(request.args, !self.is_strict())
            }
            _ => false,
        })
    }

    /// Finds a rule for every call of a kind.
    pub(crate) fn by_kind(&self, kind: Kind) -> Option<&Arc<RuleRef>> {
        self.find(|target| match target {
            Target::Path(own, None) => *own == kind,
            Target::Command(None) => kind == Kind::Bash,
            Target::Sql(pattern) => kind == Kind::Sql && pattern.is_bare(),
            _ => false,
        })
    }

    /// Finds a rule for every call of a tool, whatever its arguments.
    pub(crate) fn by_bare_tool(&self, tool: &str, source_path: &str) -> Option<&Arc<RuleRef>> {
        self.find(|target| match target {
            Target::Tool(pattern) => pattern.is_bare() && pattern.names(tool, source_path),
            _ => false,
        })
    }

    /// Finds a rule for a path.
    pub(crate) fn by_path(&self, kind: Kind, path: &Path) -> Option<&Arc<RuleRef>> {
        let index = match kind {
            Kind::Read => &self.reads,
            _ => &self.writes,
        };
        let first = [index.bare, index.first_match(path)]
            .into_iter()
            .flatten()
            .min()?;
        self.rules.get(first).map(|rule| &rule.at)
    }

    /// Finds a rule whose pattern, not one for everything, covers a path that is only a word.
    pub(crate) fn by_word(&self, kind: Kind, path: &Path) -> Option<&Arc<RuleRef>> {
        let index = match kind {
            Kind::Read => &self.reads,
            _ => &self.writes,
        };
        let rule = self.rules.get(index.first_match(path)?)?;
        Some(&rule.at)
    }

    /// Finds a rule for reading something below a folder.
    pub(crate) fn by_read_below(&self, folder: &Path) -> Option<&Arc<RuleRef>> {
        let reaches = |pattern: &PathPattern| pattern.may_match_below(folder);
        self.find(
            |target| matches!(target, Target::Path(Kind::Read, Some(pattern)) if reaches(pattern)),
        )
    }

    /// Returns the rules for commands that have a pattern.
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&Arc<RuleRef>, &CommandPattern)> {
        self.rules
            .iter()
            .filter_map(|rule| match &rule.spec.target {
                Target::Command(Some(pattern)) => Some((&rule.at, pattern)),
                _ => None,
            })
    }

    /// Finds a rule for a statement; `unattended` wants its file to let writes run unasked.
    pub(crate) fn by_sql(
        &self,
        class: &str,
        database: &str,
        unattended: bool,
    ) -> Option<&Arc<RuleRef>> {
        let mut rules = self.rules.iter();
        let found = rules.find(|rule| match &rule.spec.target {
            Target::Sql(pattern) => {
                (rule.is_unattended || !unattended) && pattern.matches(class, database)
            }
            _ => false,
        });
        found.map(|rule| &rule.at)
    }

    fn find(&self, fits: impl Fn(&Target) -> bool) -> Option<&Arc<RuleRef>> {
        let rule = self.rules.iter().find(|rule| fits(&rule.spec.target))?;
        Some(&rule.at)
    }

    fn is_strict(&self) -> bool {
        self.list == RuleList::Allow
    }
}

impl PathIndex {
    fn new(list: RuleList, kind: Kind, rules: &[Rule]) -> Result<Self, globset::Error> {
        let mut index = Self::default();
        let mut globs = GlobSet::builder();
        for (owner, rule) in rules.iter().enumerate() {
            match &rule.spec.target {
                Target::Path(own, Some(pattern)) if *own == kind => {
                    let own_globs = match list {
                        RuleList::Allow => &pattern.strict,
                        RuleList::Deny | RuleList::Ask => &pattern.greedy,
                    };
                    for glob in own_globs {
                        globs.add(glob.clone());
                        index.owners.push(owner);
                    }
                }
                Target::Path(own, None) if *own == kind => {
                    index.bare = index.bare.or(Some(owner));
                }
                _ => {}
            }
        }
        index.globs = globs.build()?;
        Ok(index)
    }

    fn first_match(&self, path: &Path) -> Option<usize> {
        if self.globs.is_empty() {
            return None;
        }
        let found = self.globs.matches_candidate(&Candidate::new(path));
        let owners = found.iter().filter_map(|glob| self.owners.get(*glob));
        owners.min().copied()
    }
}
