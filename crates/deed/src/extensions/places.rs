use std::path::{Path, PathBuf};

use deed_harness::extension_files::{ExtensionPlaces, FoundExtensions};
use deed_harness::settings::Settings;

use crate::places::Places;

/// The folder of extensions in a folder of Deed's.
const FOLDER: &str = "extensions";

/// Which extensions a run wants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Those that the command line names.
    pub(crate) named: Vec<PathBuf>,
    /// Whether others are left out.
    pub(crate) only_named: bool,
}

/// Finds the extensions of a run.
pub(crate) fn find(
    wanted: &Wanted,
    places: &Places,
    cwd: &Path,
    (settings, project_is_trusted): (&Settings, bool),
) -> FoundExtensions {
    let mut user_folders: Vec<_> = places.config.iter().map(|own| own.join(FOLDER)).collect();
    let mut project_folders = vec![cwd.join(".deed").join(FOLDER)];
    if settings.pi_extensions {
        let pi = places
            .home
            .iter()
            .map(|home| home.join(".pi/agent").join(FOLDER));
        user_folders.extend(pi);
        project_folders.push(pi_folder(cwd));
    }
    FoundExtensions::find(&ExtensionPlaces {
        named: wanted.named.iter().map(|path| cwd.join(path)).collect(),
        discovers: !wanted.only_named,
        project_is_trusted,
        project_paths: settings.extensions.project.clone(),
        project_folders,
        user_paths: settings.extensions.user.clone(),
        user_folders,
    })
}

/// Returns where Pi has the extensions of a project.
pub(crate) fn pi_folder(cwd: &Path) -> PathBuf {
    cwd.join(".pi").join(FOLDER)
}
