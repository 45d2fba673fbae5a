use std::path::Path;
use std::sync::Arc;

use super::Findings;
use crate::policy::Policy;
use crate::policy::decision::{Basis, Cause, Finding};
use crate::policy::request::Request;
use crate::policy::spec::Kind;
use crate::shell::{Denial, Redirect, Segment, ShellReading};

/// A command while it is weighed.
struct Command<'a> {
    request: &'a Request<'a>,
    cwd: &'a Path,
    reading: ShellReading,
}

impl Policy {
    pub(super) fn find_command(&self, request: &Request<'_>, text: &str, cwd: &Path) -> Findings {
        let command = Command {
            request,
            cwd,
            reading: request.reading(text),
        };
        let mut findings = Findings {
            parts: self.parts(&command, text),
            warnings: Vec::new(),
            is_unattended_write: false,
        };
        self.weigh_rules(&command, &mut findings);
        self.weigh_words(&command, &mut findings);
        findings
    }

    /// Finds for each segment what allows it and where it is joined to.
    fn parts(&self, command: &Command<'_>, text: &str) -> Vec<(Option<String>, Finding)> {
        let reading = &command.reading;
        let whole = match &reading.opaque {
            Some(why) => Some(self.opaque(command, why)),
            None if reading.segments.is_empty() => Some(self.unruled("a text without a command")),
            None => None,
        };
        if let Some(finding) = whole {
            let redirects = reading.segments.iter().flat_map(|found| &found.redirects);
            let finding = self.join(command, finding, redirects);
            return vec![(Some(text.to_owned()), finding)];
        }
        let segments = reading.segments.iter();
        segments
            .map(|segment| {
                let finding = self.segment(command, segment);
                let finding = self.join(command, finding, &segment.redirects);
                (Some(segment.text.clone()), finding)
            })
            .collect()
    }

    fn segment(&self, command: &Command<'_>, segment: &Segment) -> Finding {
        let allow = &self.0.book.allow;
        let rule = allow.by_kind(Kind::Bash).or_else(|| {
            // Redirects are weighed as paths, apart from the command.
            let mut bare = segment.clone();
            bare.redirects.clear();
            let mut rules = allow.commands();
            rules.find_map(|(rule, pattern)| pattern.allows(&bare).then_some(rule))
        });
        match rule.filter(|_| command.request.is_built_in()) {
            Some(rule) => Finding::allowed_by(rule),
            None => self.unruled(&unallowed(segment)),
        }
    }

    /// Finds for a text that cannot be read with certainty; only a rule for every command allows it.
    fn opaque(&self, command: &Command<'_>, why: &str) -> Finding {
        let rule = self.0.book.allow.by_kind(Kind::Bash);
        if let Some(rule) = rule.filter(|_| command.request.is_built_in()) {
            return Finding::allowed_by(rule);
        }
        self.unruled(&format!(
            "this command, which cannot be read with certainty ({why})"
        ))
    }

    fn join<'r>(
        &self,
        command: &Command<'_>,
        finding: Finding,
        redirects: impl IntoIterator<Item = &'r Redirect>,
    ) -> Finding {
        let redirects = redirects.into_iter();
        redirects
            .filter_map(|redirect| self.redirect(command, redirect))
            .fold(finding, Finding::or_graver)
    }

    /// Finds what stands against the file that a command is joined to.
    ///
    /// Nobody knows yet where the file really lies: a rule that allows it is trusted with its name,
    /// unless the command goes to another folder, so that not even the name is known.
    fn redirect(&self, command: &Command<'_>, redirect: &Redirect) -> Option<Finding> {
        if redirect.harmless {
            return None;
        }
        let (kind, verb) = match redirect.writes {
            true => (Kind::Write, "writing"),
            false => (Kind::Read, "reading"),
        };
        let path = self.0.ground.absolute(&redirect.target, command.cwd);
        if let Some(finding) = self.bar_path(kind, &path) {
            return Some(finding);
        }
        let is_elsewhere =
            command.reading.may_change_folder() && Path::new(&redirect.target).is_relative();
        let is_allowed = self.0.book.allow.by_kind(Kind::Bash).is_some()
            || !redirect.target.starts_with('~')
                && !is_elsewhere
                && self.allow_path(kind, command.request, &path).is_some();
        let what = format!("{verb} `{}` through the shell", redirect.target);
        (!is_allowed).then(|| self.unruled(&what))
    }

    /// Brings in the rules that deny or ask commands.
    fn weigh_rules(&self, command: &Command<'_>, findings: &mut Findings) {
        for (rule, pattern) in self.0.book.deny.commands() {
            match pattern.denies(&command.reading) {
                Denial::No => {}
                Denial::Plain(index) => findings.weigh(index, &Finding::denied_by(rule)),
                Denial::Possible => {
                    let reason = format!(
                        "{rule} may deny a part of this command, which cannot be read with \
                         certainty; write it in plain words"
                    );
                    let basis = Basis::Rule(Arc::clone(rule));
                    findings.warn(&Finding::ask(Cause::Doubt, basis, reason));
                }
            }
        }
        for (rule, pattern) in self.0.book.ask.commands() {
            match pattern.denies(&command.reading) {
                Denial::No => {}
                Denial::Plain(index) => findings.weigh(index, &Finding::asked_by(rule)),
                Denial::Possible => findings.weigh_all(&Finding::asked_by(rule)),
            }
        }
    }

    /// Looks for words that are paths which may not be read, or which Deed guards.
    fn weigh_words(&self, command: &Command<'_>, findings: &mut Findings) {
        let reading = &command.reading;
        for (index, segment) in reading.segments.iter().enumerate() {
            for word in &segment.argv {
                if let Some(doubt) = self.doubtful_word(command, word) {
                    findings.note(&doubt.reason);
                    findings.weigh(index, &doubt);
                }
            }
        }
        if reading.opaque.is_some() {
            for word in &reading.words_of_text {
                if let Some(doubt) = self.doubtful_word(command, word) {
                    findings.warn(&doubt);
                }
            }
        }
    }

    fn doubtful_word(&self, command: &Command<'_>, word: &str) -> Option<Finding> {
        let value = word.split_once('=').map(|(_, value)| value);
        if value.is_none() && word.starts_with('-') {
            return None;
        }
        let typed = value.unwrap_or(word);
        let typed = typed.strip_prefix('@').unwrap_or(typed);
        let path = self.0.ground.absolute(typed, command.cwd);
        if self.0.ground.is_protected(&path) || self.0.ground.is_around_protected(&path) {
            let reason = format!(
                "the command names `{typed}`, which holds rules, trust or records of Deed; \
                 read it with a tool for files, and leave changes to the user"
            );
            let basis = Basis::BuiltIn("protected-path");
            return Some(Finding::ask(Cause::Doubt, basis, reason));
        }
        let rule = self.0.book.deny.by_word(Kind::Read, &path)?;
        let reason =
            format!("the command names `{typed}`, and {rule} denies reading it; leave it out");
        let basis = Basis::Rule(Arc::clone(rule));
        Some(Finding::ask(Cause::Doubt, basis, reason))
    }
}

impl Findings {
    fn weigh(&mut self, index: usize, finding: &Finding) {
        match self.parts.get_mut(index) {
            Some((_, own)) => own.give_way_to(finding),
            None => self.weigh_all(finding),
        }
    }

    fn weigh_all(&mut self, finding: &Finding) {
        for (_, own) in &mut self.parts {
            own.give_way_to(finding);
        }
    }

    fn warn(&mut self, finding: &Finding) {
        self.note(&finding.reason);
        self.weigh_all(finding);
    }

    fn note(&mut self, warning: &str) {
        if !self.warnings.iter().any(|noted| noted == warning) {
            self.warnings.push(warning.to_owned());
        }
    }
}

fn unallowed(segment: &Segment) -> String {
    match (&segment.wrapper, segment.hazards.as_slice()) {
        (Some(wrapper), _) => format!("`{wrapper}`, which starts other commands"),
        (None, []) => "this command".to_owned(),
        (None, hazards) => format!("this command with `{}`", hazards.join("`, `")),
    }
}
