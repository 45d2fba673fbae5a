//! Whether a project is trusted.
//!
//! Trust gates loading: the settings, skills, prompts, extensions and system prompts that a project
//! brings. It never allows a tool call; and context files such as `AGENTS.md` are read regardless.
//! What decides, in this order: the command line; what a person decided for good, on the folder or
//! one above it, where a refusal wins; the setting `defaultProjectTrust`; a person who is asked.

use std::fmt;
use std::path::{Path, PathBuf};

use deed_guard::trust::{TrustError, TrustKind, TrustStore};
use deed_tooling::{AskOptions, Ui};
use jiff::Timestamp;

use crate::real;
use crate::settings::DefaultProjectTrust;

/// What a project's folder `.deed` may hold that is loaded only if the project is trusted.
pub const NEEDING_TRUST: &[&str] = &[
    "settings.json",
    "extensions",
    "skills",
    "prompts",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
];

/// What decides whether a project is trusted.
#[derive(Clone, Debug, Default)]
pub struct TrustQuestion {
    /// The folder of the project, absolute.
    pub folder: PathBuf,
    /// What the command line says.
    pub said: Option<bool>,
    /// The store of what a person decided for good.
    pub store: Option<PathBuf>,
    /// What the user's settings say.
    pub default: DefaultProjectTrust,
    /// The user's folder that all agents share, `~/.agents`, which is no project's.
    pub shared: Option<PathBuf>,
    /// Further places in the project that are loaded only if it is trusted.
    pub further: Vec<PathBuf>,
}

/// Whether a project is trusted, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectTrust {
    /// Whether it is.
    pub is_trusted: bool,
    /// What decided.
    pub because: TrustReason,
    /// What is there and is not loaded.
    pub withheld: Vec<PathBuf>,
}

/// What decided whether a project is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustReason {
    /// The command line.
    CommandLine,
    /// What was decided for good, on this folder.
    Stored(PathBuf),
    /// The setting `defaultProjectTrust`.
    Setting,
    /// A person, for this time.
    Asked,
    /// There was nobody to ask, or no answer.
    NoAnswer,
    /// There is nothing that would be loaded.
    NothingToLoad,
}

impl fmt::Display for TrustReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => f.write_str("the command line says so"),
            Self::Stored(folder) => write!(f, "you decided so for {}", folder.display()),
            Self::Setting => f.write_str("the setting defaultProjectTrust says so"),
            Self::Asked => f.write_str("you said so"),
            Self::NoAnswer => f.write_str("nobody decided"),
            Self::NothingToLoad => f.write_str("it brings nothing that needs trust"),
        }
    }
}

/// Answers to the question; `true` is yes, and the second tells whether it is for good.
const ANSWERS: &[(&str, bool, bool)] = &[
    ("yes, this time", true, false),
    ("yes, always", true, true),
    ("no, this time", false, false),
    ("no, never, and nothing below it", false, true),
];

impl TrustQuestion {
    /// Returns what is there that is loaded only if the project is trusted.
    pub fn needing_trust(&self) -> Vec<PathBuf> {
        let own = self.folder.join(".deed");
        let own = NEEDING_TRUST.iter().map(|name| own.join(name));
        let shared = self.shared.as_deref().map(real);
        let agents = up_to_the_repository(&self.folder).into_iter();
        let agents = agents.map(|folder| folder.join(".agents"));
        let agents = agents.filter(|agents| shared.as_ref() != Some(&real(agents)));
        let own = own.chain(self.further.iter().cloned());
        let all = own.chain(agents.map(|agents| agents.join("skills")));
        // A link that leads nowhere counts too: it may lead somewhere later.
        all.filter(|path| path.symlink_metadata().is_ok()).collect()
    }

    /// Decides without asking anybody; what would be asked is not trusted.
    ///
    /// Blocks on the file system.
    ///
    /// Errors: a store that cannot be read, which may hold a refusal.
    pub fn decide(&self) -> Result<ProjectTrust, TrustError> {
        let needing = self.needing_trust();
        let decided = self.decided(&needing)?;
        Ok(decided.unwrap_or_else(|| answer(false, TrustReason::NoAnswer, needing)))
    }

    /// Decides, and asks a person where nothing else decides.
    ///
    /// Errors: as [`TrustQuestion::decide`]; an answer for good that cannot be stored.
    ///
    /// Cancellation: if the future is dropped, nothing is decided.
    pub async fn resolve(&self, ui: &dyn Ui, now: Timestamp) -> Result<ProjectTrust, TrustError> {
        let needing = self.needing_trust();
        if let Some(decided) = self.decided(&needing)? {
            return Ok(decided);
        }
        if !ui.has_ui() {
            return Ok(answer(false, TrustReason::NoAnswer, needing));
        }
        let choices: Vec<String> = ANSWERS
            .iter()
            .map(|(text, ..)| (*text).to_owned())
            .collect();
        let chosen = ui
            .select(&self.wording(&needing), &choices, &AskOptions::default())
            .await;
        let chosen = chosen.and_then(|text| ANSWERS.iter().find(|(own, ..)| *own == text));
        let Some((_, is_trusted, is_for_good)) = chosen.copied() else {
            return Ok(answer(false, TrustReason::NoAnswer, needing));
        };
        if is_for_good {
            self.remember(is_trusted, now)?;
        }
        Ok(answer(is_trusted, TrustReason::Asked, needing))
    }

    /// Stores a decision for good; without a store it holds for this time only.
    fn remember(&self, is_trusted: bool, now: Timestamp) -> Result<(), TrustError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let mut store = TrustStore::load(store)?;
        let folder = real(&self.folder);
        match is_trusted {
            true => store.trust_folder(TrustKind::Project, &folder, now),
            false => store.refuse(TrustKind::Project, &folder, now),
        }
    }

    /// Decides by what is known; `None` if a person is to be asked.
    fn decided(&self, needing: &[PathBuf]) -> Result<Option<ProjectTrust>, TrustError> {
        let (is_trusted, because) = if let Some(said) = self.said {
            (said, TrustReason::CommandLine)
        } else if let Some(stored) = self.stored()? {
            stored
        } else {
            match self.default {
                DefaultProjectTrust::Always => (true, TrustReason::Setting),
                DefaultProjectTrust::Never => (false, TrustReason::Setting),
                DefaultProjectTrust::Ask if needing.is_empty() => {
                    (false, TrustReason::NothingToLoad)
                }
                DefaultProjectTrust::Ask => return Ok(None),
            }
        };
        Ok(Some(answer(is_trusted, because, needing.to_vec())))
    }

    fn stored(&self) -> Result<Option<(bool, TrustReason)>, TrustError> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let store = TrustStore::load(store)?;
        let decision = store.decision_on_folder(TrustKind::Project, &real(&self.folder));
        Ok(decision.map(|entry| {
            let folder = entry.path.clone();
            (!entry.is_refusal(), TrustReason::Stored(folder))
        }))
    }

    fn wording(&self, needing: &[PathBuf]) -> String {
        let names = needing.iter().map(|path| {
            let inner = path.strip_prefix(&self.folder).unwrap_or(path);
            inner.display().to_string()
        });
        format!(
            "The project {} brings {}. Load them? They can change what the agent is told and which \
             code runs in it",
            self.folder.display(),
            names.collect::<Vec<_>>().join(", ")
        )
    }
}

fn answer(is_trusted: bool, because: TrustReason, needing: Vec<PathBuf>) -> ProjectTrust {
    ProjectTrust {
        is_trusted,
        because,
        withheld: if is_trusted { Vec::new() } else { needing },
    }
}

/// Returns the folder and those above it, up to that of the repository if there is one.
pub(crate) fn up_to_the_repository(folder: &Path) -> Vec<&Path> {
    let mut folders = Vec::new();
    for folder in folder.ancestors() {
        folders.push(folder);
        if folder.join(".git").exists() {
            break;
        }
    }
    folders
}
