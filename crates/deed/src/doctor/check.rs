use std::fmt;

use serde::Serialize;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// It works.
    Ok,
    /// It works, and a person should know something of it.
    Warn,
    /// It does not work.
    Fail,
}

/// One thing that was looked at.
///
/// Shape: shown as lines, the remedy below what is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Check {
    name: String,
    status: Status,
    told: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    pub(super) fn ok(name: impl Into<String>, told: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            status: Status::Ok,
            told: vec![told.into()],
            remedy: None,
        }
    }

    pub(super) fn warn(
        name: impl Into<String>,
        told: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Warn,
            remedy: Some(remedy.into()),
            ..Self::ok(name, told)
        }
    }

    pub(super) fn fail(
        name: impl Into<String>,
        told: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            status: Status::Fail,
            ..Self::warn(name, told, remedy)
        }
    }

    /// Adds lines to what is told.
    pub(super) fn and(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.told.extend(lines);
        self
    }

    pub(super) fn has_failed(&self) -> bool {
        self.status == Status::Fail
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.status {
            Status::Ok => "ok",
            Status::Warn => "warn",
            Status::Fail => "FAIL",
        };
        let mut names = [word, self.name.as_str()];
        let lines = self.told.iter().flat_map(|told| told.lines());
        for line in lines {
            let [word, name] = std::mem::take(&mut names);
            writeln!(f, "{word:4}  {name:15}  {line}")?;
        }
        match &self.remedy {
            Some(remedy) => writeln!(f, "{:23}-> {remedy}", ""),
            None => Ok(()),
        }
    }
}
