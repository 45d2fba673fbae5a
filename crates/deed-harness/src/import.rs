//! Taking over what a person has in Pi: settings, models, keys, sessions, skills, prompts.
//!
//! Nothing that is there is overwritten and nothing of Pi's is changed. Everything that lies in Pi's
//! folder is told of, also what is not taken.

mod copy;
mod files;
mod keys;
mod sessions;
mod settings;

use std::path::{Path, PathBuf};

use deed_models::Catalogue;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::credentials::{AuthFile, KeySpec};

/// From where to where.
///
/// Shape: all paths are absolute.
#[derive(Clone, Debug)]
pub struct ImportPlaces {
    /// Pi's folder, `~/.pi/agent`.
    pub pi: PathBuf,
    /// Pi's folder for sessions, where it is not the one of its settings or in its folder.
    pub pi_sessions: Option<PathBuf>,
    /// Deed's folder for settings, skills and prompts.
    pub config: PathBuf,
    /// Deed's folder for sessions.
    pub sessions: PathBuf,
    /// The home folder, for `~/` in Pi's settings.
    pub home: Option<PathBuf>,
}

/// What kind of thing is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportKind {
    /// A setting.
    Setting,
    /// A provider of models.
    Provider,
    /// The key of a provider.
    Key,
    /// A context file or system prompt.
    Instructions,
    /// A skill.
    Skill,
    /// A prompt template.
    Prompt,
    /// A session.
    Session,
    /// Anything else.
    Other,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum ImportOutcome {
    /// It is in Deed's place.
    Taken {
        /// Where.
        to: PathBuf,
        /// What is not as it was.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// It could be taken and was not.
    Skipped {
        /// Why.
        reason: String,
    },
    /// Deed has nothing like it.
    NotSupported {
        /// What to do instead, or why.
        reason: String,
    },
    /// It should have been taken.
    Failed {
        /// What went wrong.
        reason: String,
    },
}

/// One thing that Pi has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportItem {
    /// What it is.
    pub kind: ImportKind,
    /// Its name: a key, a provider, a file below Pi's folder.
    pub name: String,
    /// What became of it, or would.
    #[serde(flatten)]
    pub outcome: ImportOutcome,
}

/// Why there is nothing to import.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Pi was never used, or keeps its things elsewhere.
    #[error("there is no folder {}; name Pi's folder with --from", .0.display())]
    NoFolder(PathBuf),
    /// Pi's folder cannot be listed.
    #[error("cannot look into {}: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// All that would be done.
#[derive(Debug)]
pub struct Import {
    steps: Vec<Step>,
    /// The settings file to make, once for all settings and providers.
    settings: Option<SettingsFile>,
    auth: AuthFile,
}

/// An item and how it is taken.
#[derive(Debug)]
struct Step {
    item: ImportItem,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Nothing,
    /// A file that only its owner may read.
    PrivateCopy(PathBuf),
    /// A file, a folder with all that is in it, or a link.
    Copy(PathBuf),
    /// Part of the settings file.
    Settings,
    Key(String, KeySpec),
}

#[derive(Debug)]
struct SettingsFile {
    path: PathBuf,
    content: Map<String, Value>,
}

impl Import {
    /// Looks at everything in Pi's folder; writes nothing.
    ///
    /// Errors: there is no such folder, or it cannot be listed.
    pub fn plan(places: &ImportPlaces) -> Result<Self, ImportError> {
        let names = names_in(&places.pi)?;
        let auth = AuthFile::new(places.config.join("auth.json"));
        let mut plan = Plan {
            places,
            steps: Vec::new(),
            settings: Map::new(),
            provider_keys: Vec::new(),
            pi_sessions: places.pi.join("sessions"),
            known_providers: Catalogue::bundled().providers().map(|it| it.id).collect(),
        };
        plan.settings();
        plan.models();
        plan.keys(&auth);
        plan.files(&names);
        plan.sessions();
        plan.others(&names);
        let Plan {
            mut steps,
            settings: content,
            ..
        } = plan;
        steps.sort_by_key(|step| step.item.kind);
        let path = places.config.join("settings.json");
        let settings = (!content.is_empty()).then_some(SettingsFile { path, content });
        Ok(Self {
            steps,
            settings,
            auth,
        })
    }

    /// Returns what would become of each thing, by kind.
    pub fn items(&self) -> impl Iterator<Item = &ImportItem> {
        self.steps.iter().map(|step| &step.item)
    }

    /// Does it, and returns what became of each thing; one that fails does not keep others back.
    pub fn carry_out(self) -> Vec<ImportItem> {
        let Self {
            steps,
            settings,
            auth,
        } = self;
        let written = settings.as_ref().map_or(Ok(()), SettingsFile::write);
        let done = steps.into_iter().map(|Step { mut item, action }| {
            if let ImportOutcome::Taken { to, .. } = &item.outcome
                && let Err(reason) = perform(&action, to, &auth, &written)
            {
                item.outcome = ImportOutcome::Failed { reason };
            }
            item
        });
        done.collect()
    }
}

fn perform(
    action: &Action,
    to: &Path,
    auth: &AuthFile,
    written: &Result<(), String>,
) -> Result<(), String> {
    match action {
        Action::Nothing => Ok(()),
        Action::PrivateCopy(from) => {
            copy::private_file(from, to).map_err(|error| error.to_string())
        }
        Action::Copy(from) => copy::anything(from, to).map_err(|error| error.to_string()),
        Action::Settings => written.clone(),
        Action::Key(provider, key) => {
            let stored = auth.set(provider, key.clone());
            stored.map_err(|error| error.to_string())
        }
    }
}

impl SettingsFile {
    fn write(&self) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.content);
        let written = text
            .map_err(std::io::Error::from)
            .and_then(|text| copy::new_file(&self.path, format!("{text}\n").as_bytes()));
        written.map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

fn names_in(folder: &Path) -> Result<Vec<String>, ImportError> {
    let unreadable = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            ImportError::NoFolder(folder.to_owned())
        }
        _ => ImportError::Unreadable {
            path: folder.to_owned(),
            source,
        },
    };
    let entries = folder.read_dir().map_err(unreadable)?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}

/// What is gathered while Pi's folder is looked at.
struct Plan<'a> {
    places: &'a ImportPlaces,
    steps: Vec<Step>,
    settings: Map<String, Value>,
    /// Keys that stand among Pi's models and belong into the file of keys.
    provider_keys: Vec<(String, KeySpec)>,
    pi_sessions: PathBuf,
    known_providers: Vec<String>,
}

impl Plan<'_> {
    /// Tells whether a provider is on the list, or described by what is taken.
    fn knows(&self, provider: &str) -> bool {
        let described = self
            .settings
            .get("providers")
            .and_then(|all| all.get(provider));
        described.is_some() || self.known_providers.iter().any(|known| known == provider)
    }

    fn take(&mut self, kind: ImportKind, name: impl Into<String>, to: PathBuf, action: Action) {
        self.take_with_note(kind, name.into(), None, (to, action));
    }

    fn take_with_note(
        &mut self,
        kind: ImportKind,
        name: String,
        note: Option<String>,
        (to, action): (PathBuf, Action),
    ) {
        let outcome = ImportOutcome::Taken { to, note };
        let item = ImportItem {
            kind,
            name,
            outcome,
        };
        self.steps.push(Step { item, action });
    }

    fn leave(&mut self, kind: ImportKind, name: impl Into<String>, outcome: ImportOutcome) {
        let item = ImportItem {
            kind,
            name: name.into(),
            outcome,
        };
        self.steps.push(Step {
            item,
            action: Action::Nothing,
        });
    }

    fn skip(&mut self, kind: ImportKind, name: impl Into<String>, reason: impl Into<String>) {
        let reason = reason.into();
        self.leave(kind, name, ImportOutcome::Skipped { reason });
    }

    fn not_supported(
        &mut self,
        kind: ImportKind,
        name: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let reason = reason.into();
        self.leave(kind, name, ImportOutcome::NotSupported { reason });
    }

    /// Reads a JSON object of Pi's; one that is broken is told of, one that is not there is not.
    fn object(&mut self, name: &str) -> Option<Map<String, Value>> {
        let path = self.places.pi.join(name);
        let read = crate::resources::read_whole(&path, 16 * 1024 * 1024);
        let text = match read {
            Ok(text) => text?,
            Err(problem) => {
                self.skip(ImportKind::Other, name, problem.to_string());
                return None;
            }
        };
        match serde_json::from_str(&text) {
            Ok(object) => Some(object),
            Err(error) => {
                let place = format!("line {}, column {}", error.line(), error.column());
                self.skip(
                    ImportKind::Other,
                    name,
                    format!("it is no JSON object ({place})"),
                );
                None
            }
        }
    }
}
