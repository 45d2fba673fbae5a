use std::sync::Arc;

use jsonc_parser::ast::{Array, ObjectProp, StringLit, Value};

use super::decision::PolicyVerdict;
use super::extensions::{ExtensionEntry, read_extensions};
use super::fault::{Place, PolicyFault};
use super::ground::Ground;
use super::jsonc::{Reader, range_of};
use super::limits::{LIMITS, LimitEntries};
use super::mode::{
    AuditDurability, DURABILITIES, MODES, PermissionMode, SQL_WRITES_WORDS, SqlWrites,
};
use super::rule::RuleList;
use super::sample::SampleCall;
use super::spec::{Spec, SpecError};

/// A policy file, read but not yet weighed against others.
#[derive(Default)]
pub(crate) struct PolicyFile {
    pub(crate) mode: Option<(PermissionMode, Place)>,
    pub(crate) rules: Vec<(RuleList, usize, Arc<Spec>, Place)>,
    pub(crate) sql_writes: Option<(SqlWrites, Place)>,
    pub(crate) tests: Vec<TestCase>,
    pub(crate) limits: LimitEntries,
    pub(crate) durability: Option<AuditDurability>,
    pub(crate) extensions: Vec<ExtensionEntry>,
}

/// A call whose verdict the file promises.
pub(crate) struct TestCase {
    pub(crate) text: String,
    pub(crate) call: SampleCall,
    pub(crate) expected: PolicyVerdict,
    pub(crate) place: Place,
}

const KEYS: [&str; 8] = [
    "version",
    "mode",
    "permissions",
    "sqlWrites",
    "tests",
    "limits",
    "audit",
    "extensions",
];

/// Reads a file; what is wrong with it, all at once, is added to `faults`.
pub(crate) fn read(
    name: &Arc<str>,
    text: &str,
    ground: &Ground,
    faults: &mut Vec<PolicyFault>,
) -> PolicyFile {
    let mut reading = Reading {
        reader: Reader::new(Arc::clone(name), text),
        ground,
        file: PolicyFile::default(),
    };
    reading.file();
    let found = &mut reading.reader.faults;
    found.sort_by_key(|fault| fault.place.as_ref().map(Place::position));
    faults.append(found);
    reading.file
}

struct Reading<'t, 'g> {
    reader: Reader<'t>,
    ground: &'g Ground,
    file: PolicyFile,
}

impl<'t> Reading<'t, '_> {
    fn file(&mut self) {
        let Some(root) = self.reader.root() else {
            return;
        };
        let members = self.reader.members(&root, &KEYS);
        if !members.iter().any(|(name, _)| *name == "version") {
            let at = root.range.start;
            let reason = "the file does not say its version; add `\"version\": 1`";
            self.reader.fault(at, reason);
        }
        for (name, member) in members {
            self.member(name, member);
        }
        self.refuse_silent_sql_writes();
    }

    fn member(&mut self, name: &str, member: &ObjectProp<'t>) {
        let place = self.reader.place(range_of(&member.value).start);
        match name {
            "version" => self.version(member),
            "mode" => {
                let mode = self.reader.word(member, &MODES);
                self.file.mode = mode.map(|mode| (mode, place));
            }
            "permissions" => self.permissions(member),
            "sqlWrites" => {
                let writes = self.reader.word(member, &SQL_WRITES_WORDS);
                self.file.sql_writes = writes.map(|writes| (writes, place));
            }
            "tests" => self.tests(member),
            "limits" => self.limits(member),
            "extensions" => {
                self.file.extensions = read_extensions(&mut self.reader, member, self.ground);
            }
            _ => self.audit(member),
        }
    }

    fn version(&mut self, member: &ObjectProp<'t>) {
        let number = member.value.as_number_lit().map(|number| number.value);
        if number != Some("1") {
            let at = range_of(&member.value).start;
            let reason = "this program reads version 1 only; write `\"version\": 1`";
            self.reader.fault(at, reason);
        }
    }

    fn permissions(&mut self, member: &ObjectProp<'t>) {
        let Some(object) = self.reader.object(member) else {
            return;
        };
        let names = RuleList::ALL.map(RuleList::as_str);
        for (name, member) in self.reader.members(object, &names) {
            let list = RuleList::ALL
                .into_iter()
                .find(|list| list.as_str() == name)
                .unwrap_or(RuleList::Deny);
            if let Some(items) = self.reader.array(member) {
                for (index, text) in self.texts(items) {
                    self.rule(list, index, text);
                }
            }
        }
    }

    fn texts<'o>(&mut self, items: &'o Array<'t>) -> Vec<(usize, &'o StringLit<'t>)> {
        let mut texts = Vec::with_capacity(items.elements.len());
        for (index, item) in items.elements.iter().enumerate() {
            match item.as_string_lit() {
                Some(text) => texts.push((index, text)),
                None => {
                    let at = range_of(item).start;
                    let reason = "a rule is a text; write it as `\"Kind(pattern)\"`";
                    self.reader.fault(at, reason);
                }
            }
        }
        texts
    }

    fn rule(&mut self, list: RuleList, index: usize, text: &StringLit<'t>) {
        let at = text.range.start;
        match Spec::parse(&text.value, self.ground) {
            Ok(spec) if list == RuleList::Allow && spec.covers_refused_sql_only() => {
                let reason = format!(
                    "`{}` allows nothing, for no rule lifts the refusal of such statements; \
                     take it out",
                    spec.text
                );
                self.reader.fault(at, reason);
            }
            Ok(spec) => {
                let place = self.reader.place(at);
                self.file.rules.push((list, index, Arc::new(spec), place));
            }
            Err(error) => self.spec_fault(at, &text.value, &error),
        }
    }

    fn spec_fault(&mut self, at: usize, text: &str, error: &SpecError) {
        self.reader.fault(at, format!("`{text}`: {error}"));
    }

    fn refuse_silent_sql_writes(&mut self) {
        if matches!(self.file.sql_writes, Some((SqlWrites::Unattended, _))) {
            return;
        }
        for (list, _, spec, place) in &self.file.rules {
            if *list == RuleList::Allow && spec.covers_sql_writes() {
                self.reader.faults.push(PolicyFault {
                    place: Some(place.clone()),
                    reason: silent_sql_writes(&spec.text),
                });
            }
        }
    }

    fn tests(&mut self, member: &ObjectProp<'t>) {
        let Some(items) = self.reader.array(member) else {
            return;
        };
        for item in &items.elements {
            self.test(item);
        }
    }

    fn test(&mut self, item: &Value<'t>) {
        let at = range_of(item).start;
        let shape = "a test is `{\"call\": \"Kind(…)\", \"expect\": \"allow\"}`; write both";
        let Value::Object(object) = item else {
            return self.reader.fault(at, shape);
        };
        let (mut call, mut expected) = (None, None);
        let members = self.reader.members(object, &["call", "expect"]);
        let is_whole = members.len() == 2;
        for (name, member) in members {
            match name {
                "call" => call = self.reader.text(member),
                _ => expected = self.reader.word(member, &PolicyVerdict::WORDS),
            }
        }
        let (Some(text), Some(expected)) = (call, expected) else {
            if !is_whole {
                self.reader.fault(at, shape);
            }
            return;
        };
        match SampleCall::parse(&text.value, self.ground) {
            Ok(call) => self.file.tests.push(TestCase {
                text: text.value.clone().into_owned(),
                call,
                expected,
                place: self.reader.place(at),
            }),
            Err(error) => {
                let reason = format!("`{}`: {error}", text.value);
                self.reader.fault(text.range.start, reason);
            }
        }
    }

    fn limits(&mut self, member: &ObjectProp<'t>) {
        let Some(object) = self.reader.object(member) else {
            return;
        };
        let names = LIMITS.map(|(name, _)| name);
        for (name, member) in self.reader.members(object, &names) {
            let place = self.reader.place(range_of(&member.value).start);
            let value = self.reader.count(member);
            let index = names.iter().position(|own| *own == name);
            if let Some(entry) = index.and_then(|index| self.file.limits.get_mut(index)) {
                *entry = value.map(|value| (value, place));
            }
        }
    }

    fn audit(&mut self, member: &ObjectProp<'t>) {
        let Some(object) = self.reader.object(member) else {
            return;
        };
        for (_, member) in self.reader.members(object, &["durability"]) {
            self.file.durability = self.reader.word(member, &DURABILITIES);
        }
    }
}

/// Says why a rule may not allow database writes.
pub(crate) fn silent_sql_writes(spec: &str) -> String {
    format!(
        "`{spec}` would let database writes run unasked; write `class:read`, \
         or put `\"sqlWrites\": \"unattended\"` in the same file if that is meant"
    )
}
