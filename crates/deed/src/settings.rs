//! Where settings, keys and the trust in projects are on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_env::ExecutionEnv;
use deed_harness::credentials::{Credentials, CredentialsConfig, KeySpec};
use deed_harness::project_trust::{ProjectTrust, TrustQuestion};
use deed_harness::settings::{DefaultProjectTrust, Settings, SettingsFiles, SettingsReport};

use crate::exit::complain;
use crate::places::Places;

/// The settings that hold in a folder, and whether its project is trusted.
pub(crate) struct Found {
    pub(crate) trust: ProjectTrust,
    pub(crate) report: SettingsReport,
}

/// Returns where the settings of a folder are.
pub(crate) fn settings_files(places: &Places, cwd: &Path) -> SettingsFiles {
    SettingsFiles {
        user: places.config.as_ref().map(|own| own.join("settings.json")),
        project: Some(cwd.to_owned()),
        home: places.home.clone(),
    }
}

/// Returns where it is kept what a person trusts.
pub(crate) fn trust_store(places: &Places) -> Option<PathBuf> {
    places.share.as_ref().map(|share| share.join("trust.json"))
}

/// Returns what decides whether the project in a folder is trusted.
pub(crate) fn trust_question(
    places: &Places,
    cwd: &Path,
    said: Option<bool>,
    default: DefaultProjectTrust,
) -> TrustQuestion {
    TrustQuestion {
        folder: cwd.to_owned(),
        said,
        store: trust_store(places),
        default,
        shared: places.home.as_ref().map(|home| home.join(".agents")),
        further: Vec::new(),
    }
}

/// Reads the settings of a folder without asking anybody.
///
/// Errors: the store of trust cannot be read.
pub(crate) fn find(places: &Places, cwd: &Path, said: Option<bool>) -> anyhow::Result<Found> {
    let files = settings_files(places, cwd);
    let own = files.read(false);
    let default = own.sound().default_project_trust;
    let trust = trust_question(places, cwd, said, default).decide()?;
    let report = match trust.is_trusted {
        true => files.read(true),
        false => own,
    };
    Ok(Found { trust, report })
}

/// Loads the settings of a folder without asking anybody: a project's count if it was trusted before.
///
/// Errors: everything that is wrong with the files; what is passed over is told as warnings.
pub(crate) fn load(places: &Places, cwd: &Path) -> anyhow::Result<Settings> {
    let files = settings_files(places, cwd);
    let mut loaded = files.load(false)?;
    let default = loaded.settings.default_project_trust;
    if trust_question(places, cwd, None, default)
        .decide()?
        .is_trusted
    {
        loaded = files.load(true)?;
    }
    for finding in &loaded.ignored {
        complain(&format!("warning: {finding}"));
    }
    Ok(loaded.settings)
}

/// Returns the keys of all providers; `env` runs the commands that print some of them.
pub(crate) fn credentials(
    places: &Places,
    settings: &Settings,
    env: Option<Arc<dyn ExecutionEnv>>,
) -> Credentials {
    Credentials::new(CredentialsConfig {
        settings: KeySpec::in_settings(&settings.providers),
        auth_file: places.config.as_ref().map(|own| own.join("auth.json")),
        variables: Arc::new(|name| std::env::var(name).ok()),
        commands: env,
        ..CredentialsConfig::default()
    })
}
