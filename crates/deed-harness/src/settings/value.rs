//! From a value in a file to the JSON of a setting.

use std::collections::HashSet;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Number, Value};

use super::key::SettingKind;
use super::paths::PathGround;
use super::providers;

/// The largest whole number that every reader of JSON understands alike.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// What is wrong with a value: at which byte, and in which words.
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) reason: String,
}

/// What of a value is not as it should be.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) faults: Vec<Fault>,
    /// Parts that do not count.
    pub(crate) ignored: Vec<Fault>,
}

/// Checks a value and makes its paths absolute; `None` if there are faults.
pub(crate) fn check(
    name: &str,
    kind: SettingKind,
    ast: &Ast<'_>,
    ground: &PathGround,
) -> (Option<Value>, Found) {
    let checking = Checking { name, ground };
    let mut found = Found::default();
    let value = match checking.value(kind, ast, &mut found) {
        Ok(value) => Some(value).filter(|_| found.faults.is_empty()),
        Err(fault) => {
            found.faults.push(fault);
            None
        }
    };
    (value, found)
}

struct Checking<'a> {
    name: &'a str,
    ground: &'a PathGround,
}

impl Checking<'_> {
    fn value(&self, kind: SettingKind, ast: &Ast<'_>, found: &mut Found) -> Result<Value, Fault> {
        match kind {
            SettingKind::Flag => match ast {
                Ast::BooleanLit(flag) => Ok(flag.value.into()),
                _ => Err(self.wanted(ast, kind)),
            },
            SettingKind::Text => self.text(kind, ast).map(Value::from),
            SettingKind::Path => self.path(kind, ast).map(Value::from),
            SettingKind::Program => {
                let text = self.text(kind, ast)?;
                let program = self.ground.program(&text);
                program
                    .map(Value::from)
                    .map_err(|fault| self.at(ast, &fault))
            }
            SettingKind::Count { min, max } => whole(ast)
                .filter(|count| (min..=max).contains(count))
                .map(Value::from)
                .ok_or_else(|| self.wanted(ast, kind)),
            SettingKind::Amount => self.amount(kind, ast),
            SettingKind::Word(words) => match ast {
                Ast::StringLit(text) if words.contains(&text.value.as_ref()) => {
                    Ok(text.value.as_ref().into())
                }
                _ => Err(self.wanted(ast, kind)),
            },
            SettingKind::ToolNames => self.list(kind, ast, |item| {
                let name = self.text(kind, item)?;
                Ok(Some(name.trim().to_owned()))
            }),
            SettingKind::Paths => self.list(kind, ast, |item| self.listed_path(item, found)),
            SettingKind::TextByName => self.members(kind, ast, |member| {
                self.text(kind, &member.value).map(Value::from)
            }),
            SettingKind::Providers => {
                self.members(kind, ast, |member| self.provider(kind, member, found))
            }
            SettingKind::CountsByName(names) => {
                self.members(kind, ast, |member| self.counts(kind, names, &member.value))
            }
        }
    }

    fn text(&self, kind: SettingKind, ast: &Ast<'_>) -> Result<String, Fault> {
        match ast {
            Ast::StringLit(text) if !text.value.trim().is_empty() => {
                Ok(text.value.clone().into_owned())
            }
            _ => Err(self.wanted(ast, kind)),
        }
    }

    fn path(&self, kind: SettingKind, ast: &Ast<'_>) -> Result<String, Fault> {
        let text = self.text(kind, ast)?;
        let absolute = self.ground.absolute(&text);
        absolute.map_err(|fault| self.at(ast, &fault))
    }

    /// Reads an entry of a list of paths; `None` if it does not count.
    fn listed_path(&self, ast: &Ast<'_>, found: &mut Found) -> Result<Option<String>, Fault> {
        let path = self.path(SettingKind::Paths, ast)?;
        if self.ground.leads_out(&path) {
            let reason = format!(
                "`{path}` is outside of the project, and was ignored; in a project's file, `{}` \
                 names what is in the project",
                self.name
            );
            let at = ast.range().start;
            found.ignored.push(Fault { at, reason });
            return Ok(None);
        }
        Ok(Some(path))
    }

    fn amount(&self, kind: SettingKind, ast: &Ast<'_>) -> Result<Value, Fault> {
        let number = number(ast).filter(|number| {
            number
                .as_f64()
                .is_some_and(|number| number.is_finite() && number > 0.0)
        });
        number
            .map(Value::Number)
            .ok_or_else(|| self.wanted(ast, kind))
    }

    fn list(
        &self,
        kind: SettingKind,
        ast: &Ast<'_>,
        mut item: impl FnMut(&Ast<'_>) -> Result<Option<String>, Fault>,
    ) -> Result<Value, Fault> {
        let Ast::Array(array) = ast else {
            return Err(self.wanted(ast, kind));
        };
        let mut items = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            if let Some(text) = item(element)?
                && !items.contains(&text)
            {
                items.push(text);
            }
        }
        Ok(items.into())
    }

    fn members(
        &self,
        kind: SettingKind,
        ast: &Ast<'_>,
        mut value: impl FnMut(&ObjectProp<'_>) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        let Ast::Object(object) = ast else {
            return Err(self.wanted(ast, kind));
        };
        self.ensure_single(&object.properties)?;
        let mut members = Map::new();
        for member in &object.properties {
            members.insert(member.name.as_str().to_owned(), value(member)?);
        }
        Ok(Value::Object(members))
    }

    fn provider(
        &self,
        kind: SettingKind,
        member: &ObjectProp<'_>,
        found: &mut Found,
    ) -> Result<Value, Fault> {
        let name = member.name.as_str();
        let Ast::Object(object) = &member.value else {
            return Err(self.wanted(&member.value, kind));
        };
        let value = self.any(&member.value)?;
        if let Some(why) = providers::wrong(name, &value) {
            let reason = format!("`{}.{name}`: {why}", self.name);
            let at = object.range.start;
            found.faults.push(Fault { at, reason });
        }
        providers::unknown(name, object, &mut found.ignored);
        Ok(value)
    }

    fn counts(&self, kind: SettingKind, names: &[&str], ast: &Ast<'_>) -> Result<Value, Fault> {
        self.members(kind, ast, |member| {
            let is_known = names.contains(&member.name.as_str());
            match whole(&member.value).filter(|_| is_known) {
                Some(count) => Ok(count.into()),
                None => Err(Fault {
                    at: member.range.start,
                    ..self.wanted(&member.value, kind)
                }),
            }
        })
    }

    /// Takes a value as it is.
    fn any(&self, ast: &Ast<'_>) -> Result<Value, Fault> {
        match ast {
            Ast::StringLit(text) => Ok(text.value.as_ref().into()),
            Ast::BooleanLit(flag) => Ok(flag.value.into()),
            Ast::NullKeyword(_) => Ok(Value::Null),
            Ast::NumberLit(_) => number(ast)
                .map(Value::Number)
                .ok_or_else(|| self.at(ast, "this number is too large for any reader")),
            Ast::Array(array) => {
                let items = array.elements.iter().map(|item| self.any(item));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            Ast::Object(object) => {
                self.ensure_single(&object.properties)?;
                let members = object.properties.iter().map(|member| {
                    let value = self.any(&member.value)?;
                    Ok((member.name.as_str().to_owned(), value))
                });
                Ok(Value::Object(members.collect::<Result<_, _>>()?))
            }
        }
    }

    fn ensure_single(&self, members: &[ObjectProp<'_>]) -> Result<(), Fault> {
        let mut seen = HashSet::new();
        let twice = members
            .iter()
            .find(|member| !seen.insert(member.name.as_str()));
        twice.map_or(Ok(()), |member| {
            Err(Fault {
                at: member.range.start,
                reason: format!(
                    "`{}` is there twice in `{}`; keep one of them",
                    member.name.as_str(),
                    self.name
                ),
            })
        })
    }

    fn wanted(&self, ast: &Ast<'_>, kind: SettingKind) -> Fault {
        let reason = format!("`{}` must be {}", self.name, kind.wanted());
        let at = ast.range().start;
        Fault { at, reason }
    }

    fn at(&self, ast: &Ast<'_>, what: &str) -> Fault {
        let reason = format!("`{}`: {what}", self.name);
        let at = ast.range().start;
        Fault { at, reason }
    }
}

impl SettingKind {
    /// Says what the value must be.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Text => "a text `\"…\"` that is not empty".to_owned(),
            Self::Path => "a path, as a text `\"…\"`".to_owned(),
            Self::Program => "a program, as a text `\"…\"`".to_owned(),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::Amount => "a number above 0".to_owned(),
            Self::Word(words) => format!("one of `\"{}\"`", words.join("\"`, `\"")),
            Self::ToolNames => "a list of names `[\"…\"]`".to_owned(),
            Self::Paths => "a list of paths `[\"…\"]`".to_owned(),
            Self::TextByName => "an object of texts `{\"NAME\": \"…\"}`".to_owned(),
            Self::Providers => "an object of objects `{\"NAME\": {…}}`".to_owned(),
            Self::CountsByName(names) => format!(
                "an object of objects with whole numbers `{{\"NAME\": {{\"{}\": …}}}}`",
                names.join("\": …, \"")
            ),
        }
    }
}

fn number(ast: &Ast<'_>) -> Option<Number> {
    serde_json::from_str(ast.as_number_lit()?.value).ok()
}

fn whole(ast: &Ast<'_>) -> Option<u64> {
    let count = ast.as_number_lit()?.value.parse().ok()?;
    (count <= MAX_EXACT).then_some(count)
}
