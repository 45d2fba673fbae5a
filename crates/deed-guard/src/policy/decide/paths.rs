use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::policy::Policy;
use crate::policy::decision::{Basis, Cause, Finding};
use crate::policy::mode::PermissionMode;
use crate::policy::request::Request;
use crate::policy::rule::RuleRef;
use crate::policy::spec::Kind;

/// More folders than a rule would spell out by `*/*/…`.
const MAX_SPELLED_LEVELS: usize = 40;

impl Policy {
    pub(super) fn find_read(&self, request: &Request<'_>, real: &[PathBuf]) -> Finding {
        let below = match request.reads_deep() {
            true => self.search_above(real),
            false => None,
        };
        let barred = self.bar(Kind::Read, request, real).into_iter().chain(below);
        barred.reduce(Finding::or_graver).unwrap_or_else(|| {
            self.allow_all(Kind::Read, request, real, |path| {
                self.free_read(request, path)
            })
        })
    }

    pub(super) fn find_write(&self, request: &Request<'_>, real: &[PathBuf]) -> Finding {
        let shown = match request.shows_what_it_writes() {
            true => self.bar(Kind::Read, request, real),
            false => None,
        };
        let barred = self
            .bar(Kind::Write, request, real)
            .into_iter()
            .chain(shown);
        barred.reduce(Finding::or_graver).unwrap_or_else(|| {
            self.allow_all(Kind::Write, request, real, |path| {
                self.free_write(request, path)
            })
        })
    }

    /// Finds what denies or asks a single path, typed or real.
    pub(super) fn bar_path(&self, kind: Kind, path: &Path) -> Option<Finding> {
        if kind == Kind::Write && self.0.ground.is_protected(path) {
            let reason = format!(
                "`{}` holds rules, trust or records of Deed, which no call may write; \
                 only the user changes them",
                path.display()
            );
            return Some(Finding::deny(Basis::BuiltIn("protected-path"), reason));
        }
        if let Some(rule) = self.0.book.deny.by_path(kind, path) {
            return Some(Finding::denied_by(rule));
        }
        let rule = self.0.book.ask.by_path(kind, path)?;
        Some(Finding::asked_by(rule))
    }

    fn bar(&self, kind: Kind, request: &Request<'_>, real: &[PathBuf]) -> Option<Finding> {
        let paths = self.typed_and_real(request, real);
        let barred = paths.iter().filter_map(|path| self.bar_path(kind, path));
        barred.reduce(Finding::or_graver)
    }

    /// A search above a denied place would read what may not be read.
    fn search_above(&self, real: &[PathBuf]) -> Option<Finding> {
        let rules = &self.0.book;
        let below = real.iter().find_map(|folder| {
            let denied = rules.deny.by_read_below(folder).map(|rule| (rule, true));
            denied.or_else(|| rules.ask.by_read_below(folder).map(|rule| (rule, false)))
        });
        match below? {
            (rule, true) => {
                let reason = format!(
                    "a search here may read what {rule} denies; search a folder that holds none of it"
                );
                let basis = Basis::Rule(Arc::clone(rule));
                Some(Finding::ask(Cause::Doubt, basis, reason))
            }
            (rule, false) => Some(Finding::asked_by(rule)),
        }
    }

    /// Allows only if each of the paths is allowed, by a rule or without one.
    fn allow_all(
        &self,
        kind: Kind,
        request: &Request<'_>,
        real: &[PathBuf],
        free: impl Fn(&Path) -> Option<Finding>,
    ) -> Finding {
        let is_deep = kind == Kind::Read && request.reads_deep();
        let mut first = None;
        for path in real {
            let rule = self.allow_path(kind, request, path);
            let allowed = match rule.filter(|_| !is_deep || self.allows_reads_below(path)) {
                Some(rule) => Finding::allowed_by(rule),
                None => match free(path) {
                    Some(finding) => finding,
                    None => return self.unallowed(kind, path),
                },
            };
            first = first.or(Some(allowed));
        }
        first.unwrap_or_else(|| self.unruled("a call that names no path"))
    }

    pub(super) fn allow_path(
        &self,
        kind: Kind,
        request: &Request<'_>,
        path: &Path,
    ) -> Option<&Arc<RuleRef>> {
        if !request.is_built_in() {
            return None;
        }
        self.0.book.allow.by_path(kind, path)
    }

    /// Tells whether rules that allow a folder allow all below it too, which a search would read.
    fn allows_reads_below(&self, path: &Path) -> bool {
        let allow = &self.0.book.allow;
        // Names that only a wildcard matches, and so deep down that only `**` reaches them.
        let one = path.join("\u{1}");
        let deep = (0..MAX_SPELLED_LEVELS).fold(one.clone(), |path, _| path.join("\u{1}"));
        [one, deep]
            .iter()
            .all(|path| allow.by_path(Kind::Read, path).is_some())
    }

    fn free_read(&self, request: &Request<'_>, path: &Path) -> Option<Finding> {
        let ground = &self.0.ground;
        if ground.is_always_readable(path) {
            let reason = "it is saved output of this session";
            return Some(Finding::allow(Basis::BuiltIn("saved-output"), reason));
        }
        if ground.is_of_a_skill(path) {
            let reason = "it belongs to a skill of this session";
            return Some(Finding::allow(Basis::BuiltIn("skill"), reason));
        }
        if !request.has_trusted_plan() || !ground.is_in_workspace(path) {
            return None;
        }
        let mode = self.mode();
        let reason = format!("mode `{mode}` lets reads inside the workspace run");
        Some(Finding::allow(Basis::Mode(mode), reason))
    }

    fn free_write(&self, request: &Request<'_>, path: &Path) -> Option<Finding> {
        let (mode, ground) = (self.mode(), &self.0.ground);
        let is_free = mode == PermissionMode::AcceptEdits
            && request.has_trusted_plan()
            && ground.is_in_workspace(path)
            && !ground.is_steering(path);
        let reason = "mode `acceptEdits` lets writes inside the workspace run";
        is_free.then(|| Finding::allow(Basis::Mode(mode), reason))
    }

    fn unallowed(&self, kind: Kind, path: &Path) -> Finding {
        let verb = match kind {
            Kind::Read => "reading",
            _ => "writing",
        };
        let place = if !self.0.ground.is_in_workspace(path) {
            ", which is outside the workspace"
        } else if kind == Kind::Write && self.0.ground.is_steering(path) {
            ", which steers `git` or Deed"
        } else {
            ""
        };
        self.unruled(&format!("{verb} `{}`{place}", path.display()))
    }
}
