//! From files to a policy.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use deed_guard::policy::{
    Ground, PermissionMode, Policy, PolicyFaults, PolicyInput, PolicyText, Tier,
};
use deed_guard::trust::{StoredRules, TrustError, TrustKind, TrustStore};

/// Where policies and what people decided about them are.
///
/// Shape: all paths are absolute, but for that of the command line, which is as it was typed. A
/// file that is not there says nothing, but for that one.
#[derive(Clone, Debug)]
pub struct PolicyFiles {
    /// That of whoever runs the machine.
    pub admin: PathBuf,
    /// That which this run names.
    pub command_line: Option<PathBuf>,
    /// The user's.
    pub user: Option<PathBuf>,
    /// The project's; until it is trusted, it only tightens.
    pub project: PathBuf,
    /// Rules that a person stored with "always"; those given in the working folder count.
    pub stored_rules: Option<PathBuf>,
    /// What a person trusts.
    pub trust: Option<PathBuf>,
}

/// A policy and the store that rules may be added to.
#[derive(Clone, Debug)]
pub struct LoadedPolicy {
    /// The policy.
    pub policy: Policy,
    /// Where "always" stores its rules.
    pub stored_rules: Option<Arc<Mutex<StoredRules>>>,
}

/// Why there is no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyLoadError {
    /// A file cannot be read.
    #[error("the policy {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others than root may change the policy of the machine.
    #[error(
        "the policy {0} can be changed by others than root; run `chown root {0}; chmod go-w {0}`",
        path.display()
    )]
    OpenToOthers {
        /// The file.
        path: PathBuf,
    },
    /// What stands in the files is wrong.
    #[error(transparent)]
    Faults(#[from] PolicyFaults),
    /// The stores of trust and rules cannot be read.
    #[error(transparent)]
    Trust(#[from] TrustError),
}

impl PolicyFiles {
    /// Returns the policy files that are there, from the one that weighs most.
    pub fn present(&self) -> Vec<PathBuf> {
        let files = [
            Some(&self.admin),
            self.command_line.as_ref(),
            self.user.as_ref(),
            Some(&self.project),
        ];
        let there = files.into_iter().flatten().filter(|path| path.exists());
        there.cloned().collect()
    }

    /// Returns the places that no call may write, under all their names.
    pub fn protected(&self) -> Vec<PathBuf> {
        let some = [
            Some(&self.admin),
            self.command_line.as_ref(),
            self.user.as_ref(),
            Some(&self.project),
            self.stored_rules.as_ref(),
            self.trust.as_ref(),
        ];
        some.into_iter()
            .flatten()
            .flat_map(|path| names_of(path))
            .collect()
    }

    /// Reads the files and builds the policy that holds on this ground.
    ///
    /// Errors: a file that cannot be read or is wrong in any part; nothing of it is ignored.
    pub fn load(
        &self,
        ground: Ground,
        mode: Option<PermissionMode>,
    ) -> Result<LoadedPolicy, PolicyLoadError> {
        let files = self.texts()?;
        let policy = Policy::build(PolicyInput {
            files,
            ground,
            mode,
        })?;
        let Some(path) = &self.stored_rules else {
            return Ok(LoadedPolicy {
                policy,
                stored_rules: None,
            });
        };
        let stored = StoredRules::load(path)?;
        let own = stored.specs_in(policy.working_folder());
        let policy = policy.with_rules(Tier::Stored, own)?;
        Ok(LoadedPolicy {
            policy,
            stored_rules: Some(Arc::new(Mutex::new(stored))),
        })
    }

    fn texts(&self) -> Result<Vec<PolicyText>, PolicyLoadError> {
        let mut texts = Vec::new();
        if let Some(text) = read(&self.admin)? {
            ensure_of_root(&self.admin)?;
            texts.push(named(Tier::Admin, &self.admin, text));
        }
        if let Some(path) = &self.command_line {
            let text = std::fs::read_to_string(path).map_err(unreadable(path))?;
            texts.push(named(Tier::CommandLine, path, text));
        }
        if let Some(path) = &self.user
            && let Some(text) = read(path)?
        {
            texts.push(named(Tier::User, path, text));
        }
        if let Some(text) = read(&self.project)? {
            let is_trusted = self.is_trusted(&text)?;
            texts.push(named(Tier::Project, &self.project, text).trusted(is_trusted));
        }
        Ok(texts)
    }

    fn is_trusted(&self, text: &str) -> Result<bool, PolicyLoadError> {
        let Some(store) = &self.trust else {
            return Ok(false);
        };
        let store = TrustStore::load(store)?;
        Ok(store.is_trusted(TrustKind::Policy, &real(&self.project), text.as_bytes()))
    }
}

fn named(tier: Tier, path: &Path, text: String) -> PolicyText {
    PolicyText::new(tier, path.display().to_string(), text)
}

fn read(path: &Path) -> Result<Option<String>, PolicyLoadError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(unreadable(path)(error)),
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> PolicyLoadError {
    let path = path.to_owned();
    move |source| PolicyLoadError::Unreadable { path, source }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(unix)]
fn ensure_of_root(path: &Path) -> Result<(), PolicyLoadError> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).map_err(unreadable(path))?;
    if metadata.uid() == 0 && metadata.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(PolicyLoadError::OpenToOthers {
        path: path.to_owned(),
    })
}

#[cfg(not(unix))]
fn ensure_of_root(_path: &Path) -> Result<(), PolicyLoadError> {
    Ok(())
}

/// Returns where a path really leads, as a tool would find it; what cannot be looked up stays as it
/// is written.
pub fn real(path: &Path) -> PathBuf {
    let Ok(path) = std::path::absolute(path) else {
        return path.to_owned();
    };
    if let Ok(real) = deed_env::real_path(&path) {
        return real.as_path().to_owned();
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path,
    }
}

/// Returns the names of a place that a command may use for it: as it is written, in its real folder,
/// and where it leads.
pub fn names_of(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![real(path)];
    if let Ok(path) = std::path::absolute(path) {
        if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
            names.push(real(folder).join(name));
        }
        names.push(path);
    }
    names.dedup();
    names
}
