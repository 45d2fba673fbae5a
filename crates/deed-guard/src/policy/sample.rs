use std::sync::Arc;

use deed_agent::{Access, Classification, EffectPlan};
use deed_protocol::SourceInfo;
use serde_json::{Map, Value};

use super::fields::{SQL_CLASSES, fields};
use super::ground::Ground;
use super::request::Request;
use super::spec::{Kind, SpecError, SpecWords};
use super::wildcard::unescape;

/// A call written as a spec, such as `Bash(cargo test -q)`, for tests and for asking ahead.
///
/// Shape: paths are taken to be real as they stand; whoever knows better replaces `plan.access`.
#[derive(Clone, Debug)]
pub struct SampleCall {
    /// The tool's name.
    pub tool: String,
    /// Where the tool comes from.
    pub source: SourceInfo,
    /// What it would touch.
    pub plan: EffectPlan,
    /// Its arguments.
    pub args: Value,
}

/// A sample call that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct SampleError(SampleFault);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum SampleFault {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("`{kind}` alone is no call; write what it is called on, as in `{kind}(…)`")]
    NoSubject { kind: &'static str },
    #[error(
        "a sample statement has a class; write `Sql(class:C, db:NAME)` with C one of {classes}"
    )]
    NoClass { classes: String },
}

impl<E: Into<SampleFault>> From<E> for SampleError {
    fn from(fault: E) -> Self {
        Self(fault.into())
    }
}

impl SampleCall {
    /// Reads a call.
    ///
    /// Errors: no call by that spelling.
    pub fn parse(text: &str, ground: &Ground) -> Result<Self, SampleError> {
        let words = SpecWords::split(text)?;
        let Some(kind) = Kind::named(words.name) else {
            return Self::of_tool(&words);
        };
        if words.source.is_some() {
            return Err(SpecError::SourceOfKind.into());
        }
        let (tool, name, argument) = match kind {
            Kind::Read => ("read", "Read", "path"),
            Kind::Write => ("write", "Write", "path"),
            Kind::Bash => ("bash", "Bash", "command"),
            Kind::Sql => return Self::of_statement(words.inside.unwrap_or_default()),
        };
        let subject = words.inside.ok_or(SampleFault::NoSubject { kind: name })?;
        let path = ground.absolute(subject, ground.working_folder());
        let access = match kind {
            Kind::Read => Access::Read(vec![path]),
            Kind::Write => Access::Write(vec![path]),
            _ => Access::Command {
                command: subject.to_owned(),
                cwd: ground.working_folder().to_owned(),
            },
        };
        Ok(Self {
            tool: tool.to_owned(),
            source: SourceInfo::builtin(tool),
            plan: EffectPlan::new(access, name, subject),
            args: one_argument(argument, subject),
        })
    }

    /// Returns the call as a request.
    pub fn request(&self) -> Request<'_> {
        Request {
            tool: &self.tool,
            source: &self.source,
            plan: &self.plan,
            args: &self.args,
        }
    }

    fn of_statement(inside: &str) -> Result<Self, SampleError> {
        let mut class = None;
        let mut database = String::new();
        for (name, value) in fields(inside)? {
            match name.as_str() {
                "class" => class = Some(unescape(value)),
                "db" => database = unescape(value),
                _ => return Err(SpecError::SqlField { name }.into()),
            }
        }
        let class = class.filter(|class| SQL_CLASSES.contains(&class.as_str()));
        let class = class.ok_or_else(|| SampleFault::NoClass {
            classes: SQL_CLASSES.join(", "),
        })?;
        let access = Access::Sql {
            database: database.clone(),
            text: String::new(),
        };
        let reason = "the sample says so".to_owned();
        Ok(Self {
            tool: "query_database".to_owned(),
            source: SourceInfo::builtin("query_database"),
            plan: EffectPlan {
                classification: Some(Classification { class, reason }),
                ..EffectPlan::new(access, "Sql", String::new())
            },
            args: one_argument("database", &database),
        })
    }

    fn of_tool(words: &SpecWords<'_>) -> Result<Self, SampleError> {
        let mut args = Map::new();
        for (name, value) in fields_or_none(words.inside)? {
            args.insert(name, Value::String(unescape(value)));
        }
        let tool = unescape(words.name);
        let args = Value::Object(args);
        let mut source = SourceInfo::builtin(&tool);
        source.source = Arc::from("local");
        source.path = Arc::from(unescape(words.source.unwrap_or_default()));
        Ok(Self {
            plan: EffectPlan::new(Access::Opaque, &tool, args.to_string()),
            tool,
            source,
            args,
        })
    }
}

fn fields_or_none(inside: Option<&str>) -> Result<Vec<(String, &str)>, SpecError> {
    match inside {
        None | Some("!") => Ok(Vec::new()),
        Some(inside) => fields(inside),
    }
}

fn one_argument(name: &str, value: &str) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value.into())]))
}
