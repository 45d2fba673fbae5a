use std::fmt::Write as _;
use std::path::Path;

use deed_guard::policy::ExtensionGrants;
use deed_guard::trust::{Standing, TrustKind, TrustStore};
use deed_harness::extension_files::{BroughtBy, ExtensionFile};
use deed_typescript::Survey;
use serde::Serialize;

use super::super::accept::grants_of;
use super::super::{Wanted, find};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::settings::{self, trust_store};
use crate::wiring;
use crate::writer::print;

/// An extension as people are shown it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    path: String,
    from: &'static str,
    state: State,
    /// What it was granted, or would be.
    grants: ExtensionGrants,
}

/// Whether it is loaded, or why not.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Accepted,
    NotAccepted,
    Changed,
    Refused,
    ProjectNotTrusted,
}

impl State {
    fn in_words(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::NotAccepted => "not accepted yet",
            Self::Changed => "changed since you accepted it",
            Self::Refused => "refused",
            Self::ProjectNotTrusted => "its project is not trusted",
        }
    }
}

/// Lists the extensions of this folder.
pub(super) fn run(as_json: bool) -> anyhow::Result<Ending> {
    let places = Places::find();
    let cwd = wiring::working_folder(None)?;
    let own = settings::find(&places, &cwd, None)?;
    let found = find(
        &Wanted::default(),
        &places,
        &cwd,
        // Those of a project that is not trusted are listed too, as what they are.
        (&own.report.sound(), true),
    );
    for problem in &found.problems {
        complain(&format!("warning: {problem}"));
    }
    let store = trust_store(&places).map(TrustStore::load).transpose()?;
    let rows: Vec<Row> = found
        .files
        .iter()
        .map(|file| row(file, store.as_ref(), own.trust.is_trusted))
        .collect();
    let text = match as_json {
        true => format!("{}\n", serde_json::to_string_pretty(&rows)?),
        false => table(&rows, &cwd),
    };
    print(text.as_bytes())
}

fn row(file: &ExtensionFile, store: Option<&TrustStore>, project_is_trusted: bool) -> Row {
    let state = match file.by {
        BroughtBy::Project if !project_is_trusted => State::ProjectNotTrusted,
        _ => state(file, store),
    };
    let granted = store.and_then(|store| store.granted(&file.path));
    let granted = granted.filter(|_| state == State::Accepted).cloned();
    Row {
        name: file.name(),
        path: file.path.display().to_string(),
        from: match file.by {
            BroughtBy::Project => "project",
            _ => "user",
        },
        state,
        grants: granted.unwrap_or_else(|| grants_of(&Survey::of(&file.path).wants)),
    }
}

fn state(file: &ExtensionFile, store: Option<&TrustStore>) -> State {
    let Some(store) = store else {
        return State::NotAccepted;
    };
    let content = std::fs::read(&file.path).unwrap_or_default();
    match store.standing(TrustKind::Extension, &file.path, &content) {
        Standing::Trusted => State::Accepted,
        Standing::Refused => State::Refused,
        Standing::Undecided if store.list().iter().any(|it| it.path == file.path) => State::Changed,
        Standing::Undecided => State::NotAccepted,
    }
}

fn table(rows: &[Row], cwd: &Path) -> String {
    if rows.is_empty() {
        return "There are no extensions; `deed extension new NAME` begins one, -e FILE loads one for \
                a run.\n"
            .to_owned();
    }
    let mut text = String::new();
    for row in rows {
        let path = Path::new(&row.path);
        let path = path.strip_prefix(cwd).unwrap_or(path);
        let may = match row.state {
            State::Accepted => "may",
            _ => "would",
        };
        // Writing to a string cannot fail.
        writeln!(
            text,
            "{}  {}  ({}, {})\n  {may} {}",
            row.name,
            path.display(),
            row.from,
            row.state.in_words(),
            row.grants.in_words()
        )
        .ok();
    }
    let waits = |row: &Row| matches!(row.state, State::NotAccepted | State::Changed);
    if rows.iter().any(waits) {
        text += "`deed trust --extension PATH` accepts one as it is now.\n";
    }
    text
}
