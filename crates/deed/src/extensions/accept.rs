//! Whether a person accepts an extension, with every file of it as it is now.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use deed_guard::policy::{ExtensionGrants, Extent};
use deed_guard::trust::{Standing, TrustKind, TrustStore};
use deed_harness::extension_files::{BroughtBy, ExtensionFile};
use deed_schema::Sha256Hash;
use deed_tooling::{AskOptions, Ui};
use deed_typescript::{Admits, Survey, Wants};
use jiff::Timestamp;

use crate::exit::complain;

/// Who is asked, and where answers are kept.
pub(crate) struct Accepting<'a> {
    pub(crate) ui: &'a dyn Ui,
    /// The store of what a person decided.
    pub(crate) store: Option<PathBuf>,
}

/// An extension that is to be loaded.
pub(crate) struct Accepted {
    pub(crate) file: ExtensionFile,
    /// What a person granted, which counts where no policy speaks.
    pub(crate) grants: ExtensionGrants,
    pub(crate) admits: Admits,
}

/// Answers to the question; what they grant, and whether it is loaded.
const ANSWERS: [(&str, Answer); 4] = [
    ("load it, and let it do that", Answer::WithWants),
    (
        "load it, and let it do nothing outside of the session",
        Answer::WithNothing,
    ),
    ("not this time", Answer::NotNow),
    ("never", Answer::Never),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    WithWants,
    WithNothing,
    NotNow,
    Never,
}

/// Asks for each extension that nobody decided on.
///
/// What the command line names is accepted for this run, as it is.
///
/// Errors: there is nobody to ask, and so a guard might be missing; a store that cannot be used.
pub(crate) async fn accept(
    files: Vec<ExtensionFile>,
    accepting: &Accepting<'_>,
) -> anyhow::Result<Vec<Accepted>> {
    let mut accepted = Vec::with_capacity(files.len());
    let mut store = accepting.store.as_ref().map(TrustStore::load).transpose()?;
    for file in files {
        let standing = match &store {
            Some(store) => standing(store, &file)?,
            None => Standing::Undecided,
        };
        let is_named = file.by == BroughtBy::CommandLine;
        match standing {
            Standing::Refused if is_named => anyhow::bail!(
                "{} was refused for good; `deed trust --extension --revoke {0}` takes that back",
                file.path.display()
            ),
            Standing::Refused => complain(&format!(
                "warning: not loaded, because you refused it: {}",
                file.path.display()
            )),
            Standing::Trusted => {
                let grants = store.as_ref().and_then(|store| store.granted(&file.path));
                let grants = grants.cloned().unwrap_or_default();
                let admits = if is_named {
                    all()
                } else {
                    stored(store.as_ref())
                };
                accepted.push(Accepted {
                    file,
                    grants,
                    admits,
                });
            }
            Standing::Undecided if is_named => {
                let survey = Survey::of(&file.path);
                let grants = grants_of(&survey.wants);
                accepted.push(Accepted {
                    file,
                    grants,
                    admits: all(),
                });
            }
            Standing::Undecided => accepted.extend(ask(file, accepting, &mut store).await?),
        }
    }
    Ok(accepted)
}

fn standing(store: &TrustStore, file: &ExtensionFile) -> anyhow::Result<Standing> {
    let content = std::fs::read(&file.path)
        .with_context(|| format!("cannot read the extension {}", file.path.display()))?;
    Ok(store.standing(TrustKind::Extension, &file.path, &content))
}

async fn ask(
    file: ExtensionFile,
    accepting: &Accepting<'_>,
    store: &mut Option<TrustStore>,
) -> anyhow::Result<Option<Accepted>> {
    let path = file.path.display().to_string();
    anyhow::ensure!(
        accepting.ui.has_ui(),
        "the extension {path}, which {} brings, is not accepted as it is now, and there is nobody \
         to ask; look at it, then run `deed trust --extension {path}`, or leave extensions out \
         with --no-extensions",
        file.by
    );
    let survey = Survey::of(&file.path);
    let wanted = grants_of(&survey.wants);
    let choices = ANSWERS.map(|(text, _)| text.to_owned());
    let question = wording(&file, &wanted, &survey.wants, store.as_ref());
    let chosen = accepting
        .ui
        .select(&question, &choices, &AskOptions::default())
        .await;
    let answer = ANSWERS
        .iter()
        .find(|(text, _)| chosen.as_deref() == Some(*text));
    let grants = match answer.map_or(Answer::NotNow, |(_, answer)| *answer) {
        Answer::WithWants => wanted,
        Answer::WithNothing => ExtensionGrants::default(),
        Answer::NotNow => {
            complain(&format!("warning: not loaded: {path}"));
            return Ok(None);
        }
        Answer::Never => {
            if let Some(store) = store {
                store.refuse(TrustKind::Extension, &file.path, Timestamp::now())?;
            }
            return Ok(None);
        }
    };
    let admits = match store {
        Some(open) => {
            open.trust_extension(&contents(&survey), &grants, Timestamp::now())?;
            stored(store.as_ref())
        }
        None => exactly(&survey),
    };
    Ok(Some(Accepted {
        file,
        grants,
        admits,
    }))
}

fn wording(
    file: &ExtensionFile,
    wanted: &ExtensionGrants,
    wants: &Wants,
    store: Option<&TrustStore>,
) -> String {
    let was_there = store.is_some_and(|store| {
        let own = |entry: &&deed_guard::trust::TrustEntry| entry.path == file.path;
        store.list().iter().any(|entry| own(&entry))
    });
    let news = match was_there {
        true => "It has changed since you accepted it",
        false => "It was not loaded before",
    };
    let rest = match wants.other_variables || wants.other_modules {
        true => "; what else it wants only shows when it runs, and is then refused",
        false => "",
    };
    format!(
        "Load the extension {}?\n{}\nIt comes from {}. {news}.\nAs far as its files tell, it wants to: {}{rest}",
        file.name(),
        file.path.display(),
        file.by,
        wanted.in_words()
    )
}

/// Trusts an extension as it is now, and grants it what it wants.
pub(crate) fn trust_as_it_is(
    store: &mut TrustStore,
    path: &Path,
) -> anyhow::Result<ExtensionGrants> {
    let survey = Survey::of(path);
    anyhow::ensure!(survey.faults.is_empty(), "{}", survey.faults.join("\n"));
    let grants = grants_of(&survey.wants);
    store.trust_extension(&contents(&survey), &grants, Timestamp::now())?;
    Ok(grants)
}

/// Returns what an extension wants, as it would be granted.
pub(crate) fn grants_of(wants: &Wants) -> ExtensionGrants {
    let extent = |wanted: bool| match wanted {
        true => Extent::Everything,
        false => Extent::Nothing,
    };
    let mut grants = ExtensionGrants::default();
    grants.fs.read = extent(wants.reads);
    grants.fs.write = extent(wants.writes);
    grants.exec = extent(wants.runs);
    grants.net = extent(wants.connects);
    for name in &wants.variables {
        grants.env.add(name);
    }
    grants
}

fn contents(survey: &Survey) -> Vec<(PathBuf, Sha256Hash)> {
    let files = survey.files.iter();
    files
        .map(|file| (file.path.clone(), Sha256Hash::of(&file.content)))
        .collect()
}

fn all() -> Admits {
    Arc::new(|_, _| Ok(()))
}

/// Admits what the store trusts.
fn stored(store: Option<&TrustStore>) -> Admits {
    let entries = store.into_iter().flat_map(TrustStore::list);
    let entries = entries.filter(|entry| entry.kind == TrustKind::Extension);
    let hashes = entries.filter_map(|entry| Some((entry.path.clone(), entry.sha256?)));
    admitting(hashes.collect())
}

fn exactly(survey: &Survey) -> Admits {
    admitting(contents(survey).into_iter().collect())
}

fn admitting(hashes: HashMap<PathBuf, Sha256Hash>) -> Admits {
    Arc::new(
        move |path, content| match hashes.get(path) == Some(&Sha256Hash::of(content)) {
            true => Ok(()),
            false => Err(format!(
                "it is not as it was when the extension was accepted, or was not part of it; \
                 `deed trust --extension {}` accepts it as it is now",
                path.display()
            )),
        },
    )
}
