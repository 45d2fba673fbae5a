//! What a wrapper starts.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::wrappers::{Starts, wrapper};
use super::{Redirect, walk};

/// More commands than this in one are not looked into.
const MAX_STARTS: usize = 16;

/// How many scripts (`bash -c "bash -c …"`) may still be read inside one another, and how many bytes
/// of them altogether.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    pub(super) levels: usize,
    pub(super) bytes: &'a Cell<usize>,
}

impl<'a> Bounds<'a> {
    fn inside(self, script: &str) -> Option<Bounds<'a>> {
        let bytes = self.bytes;
        bytes.set(bytes.get().checked_sub(script.len() + 1)?);
        let levels = self.levels.checked_sub(1)?;
        Some(Bounds { levels, bytes })
    }
}

/// What a command starts besides itself.
#[derive(Debug, Default)]
pub(super) struct Started {
    pub(super) wrapper: Option<String>,
    pub(super) inner: Vec<Vec<String>>,
    /// The redirections in scripts inside.
    pub(super) redirects: Vec<Redirect>,
    /// How many leading words tell all that is started.
    pub(super) spelled: usize,
    /// Whether something is started that the words do not tell.
    pub(super) is_unknown: bool,
    /// Why a script inside could not be read.
    pub(super) opaque: Option<String>,
}

/// Finds what a command starts, if it is a wrapper.
///
/// It cannot be known which options of a wrapper take a value; so where either reading is possible,
/// both are taken.
pub(super) fn started_by(argv: &[String], bounds: Bounds<'_>) -> Started {
    let mut search = Search {
        argv,
        bounds,
        starts: BTreeSet::from([0]),
        found: Started::default(),
    };
    let mut next = Some(0);
    while let Some(at) = next {
        if search.starts.len() > MAX_STARTS {
            search.unread("too many commands start one another");
            break;
        }
        search.look_at(at);
        next = search.starts.range(at + 1..).next().copied();
    }
    search.finish()
}

struct Search<'a> {
    argv: &'a [String],
    bounds: Bounds<'a>,
    /// Where commands may begin.
    starts: BTreeSet<usize>,
    found: Started,
}

impl Search<'_> {
    fn look_at(&mut self, at: usize) {
        let Some(name) = self.argv.get(at) else {
            return;
        };
        if at > 0 && name.contains(char::is_whitespace) {
            self.script(name);
        }
        if at > 0 && is_assignment(name) && at + 1 < self.argv.len() {
            self.starts.insert(at + 1);
        }
        let Some((name, starts)) = wrapper(name) else {
            return;
        };
        match starts {
            Starts::WordsAfter(operands) => {
                let starts = self.operands(at, operands);
                self.begin(starts);
            }
            Starts::WordsAfterExec => {
                let starts = self.behind_exec(at);
                if starts.is_empty() {
                    return;
                }
                self.begin(starts);
                self.all_words_count();
            }
            Starts::ScriptAfter(operands) => {
                let starts = self.operands(at, operands);
                self.scripts(starts, |words| words.join(" "));
            }
            Starts::OperandOfC => {
                let starts = self.behind_c(at);
                self.scripts(starts, |words| words.first().cloned().unwrap_or_default());
            }
            Starts::Anything => {
                self.found.is_unknown = true;
                self.all_words_count();
            }
        }
        self.found.wrapper.get_or_insert_with(|| name.to_owned());
    }

    fn begin(&mut self, starts: Vec<usize>) {
        if starts.is_empty() {
            self.found.is_unknown = true;
            self.all_words_count();
        }
        let option_may_hold_script = |word: &String| word.starts_with('-') && word.contains(' ');
        self.found.is_unknown |= self.argv.iter().any(option_may_hold_script);
        self.starts.extend(starts.into_iter().take(MAX_STARTS));
    }

    fn scripts(&mut self, starts: Vec<usize>, text: fn(&[String]) -> String) {
        self.all_words_count();
        self.found.is_unknown |= starts.is_empty();
        for at in starts.into_iter().take(MAX_STARTS) {
            let script = text(self.argv.get(at..).unwrap_or_default());
            self.script(&script);
        }
    }

    fn script(&mut self, text: &str) {
        self.all_words_count();
        let Some(bounds) = self.bounds.inside(text) else {
            return self.unread("there are too many scripts in one another");
        };
        let reading = walk::read(text, bounds);
        for segment in reading.segments {
            self.found.is_unknown |= segment.starts_unknown;
            self.found.inner.push(segment.argv);
            self.found.inner.extend(segment.inner);
            self.found.redirects.extend(segment.redirects);
        }
        if let Some(why) = reading.opaque {
            self.unread(&format!("in a script inside, {why}"));
        }
    }

    fn unread(&mut self, why: &str) {
        self.found.opaque.get_or_insert_with(|| why.to_owned());
    }

    fn all_words_count(&mut self) {
        self.found.spelled = self.argv.len();
    }

    /// Where the words behind the options and `count` operands of the wrapper at `at` may begin.
    fn operands(&self, at: usize, count: usize) -> Vec<usize> {
        let mut starts = Vec::new();
        let (mut least, mut most) = (0, 0);
        let mut is_value = false;
        for (index, word) in self.argv.iter().enumerate().skip(at + 1) {
            if word.starts_with('-') {
                is_value = word != "--" && word != "-" && !word.contains('=');
                continue;
            }
            if is_assignment(word) {
                continue;
            }
            if most >= count {
                starts.push(index);
            }
            most += 1;
            if !is_value {
                if least >= count {
                    break;
                }
                least += 1;
            }
            is_value = false;
        }
        starts
    }

    fn behind_c(&self, at: usize) -> Vec<usize> {
        let is_c = |word: &String| {
            word == "--command"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
        };
        let rest = self.argv.iter().enumerate().skip(at + 1);
        let mut options = rest.filter(|(_, word)| is_c(word)).map(|(index, _)| index);
        let Some(option) = options.next() else {
            return Vec::new();
        };
        self.operands(option, 0)
    }

    fn behind_exec(&self, at: usize) -> Vec<usize> {
        const EXEC: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
        let rest = self.argv.iter().enumerate().skip(at + 1);
        rest.filter(|(_, word)| EXEC.contains(&word.as_str()))
            .map(|(index, _)| index + 1)
            .filter(|start| *start < self.argv.len())
            .collect()
    }

    fn finish(mut self) -> Started {
        let starts: Vec<usize> = self.starts.range(1..).copied().take(MAX_STARTS).collect();
        if let Some(last) = starts.last() {
            self.found.spelled = self.found.spelled.max(last + 1);
        }
        let suffixes = starts.iter().filter_map(|at| self.argv.get(*at..));
        self.found
            .inner
            .splice(0..0, suffixes.map(<[String]>::to_vec));
        self.found
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}
