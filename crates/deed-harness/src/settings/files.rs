use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Settings;
use super::document::{self, Document};
use super::effective::{EffectiveSetting, Layer};
use super::finding::{Position, SettingsFaults, SettingsFinding, Severity};
use super::merge::merge;
use super::paths::PathGround;

/// A larger file is not one of settings.
const MAX_BYTES: u64 = 1024 * 1024;

/// Where settings are.
///
/// Shape: all paths are absolute. A file that is not there says nothing.
#[derive(Clone, Debug, Default)]
pub struct SettingsFiles {
    /// The user's file.
    pub user: Option<PathBuf>,
    /// The folder of the project, whose file is `.deed/settings.json` in it.
    pub project: Option<PathBuf>,
    /// The home folder, if it is known.
    pub home: Option<PathBuf>,
}

/// All there is to know of the settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsReport {
    /// What holds, a row for each of [`SETTINGS`](super::SETTINGS); of a file with faults, what is
    /// sound in it.
    pub effective: Vec<EffectiveSetting>,
    /// What is not as it should be, the user's file first.
    pub findings: Vec<SettingsFinding>,
}

/// Settings that may be used.
#[derive(Clone, Debug, Default)]
pub struct LoadedSettings {
    /// What holds.
    pub settings: Settings,
    /// What in the files does not count; to be told to the person.
    pub ignored: Vec<SettingsFinding>,
}

impl SettingsFiles {
    /// Returns the project's file.
    pub fn project_file(&self) -> Option<PathBuf> {
        Some(self.project.as_ref()?.join(".deed/settings.json"))
    }

    /// Reads the files; the project's only if a person trusts it.
    ///
    /// Blocks on the file system.
    pub fn read(&self, project_is_trusted: bool) -> SettingsReport {
        let user = self.document(Layer::User, self.user.as_deref(), None);
        let project = self.project_file().filter(|_| project_is_trusted);
        let project = self.document(Layer::Project, project.as_deref(), self.project.clone());
        let mut findings = user.findings;
        findings.extend(project.findings);
        let effective = merge(&user.entries, &project.entries, &mut findings);
        SettingsReport {
            effective,
            findings,
        }
    }

    /// As [`SettingsFiles::read`], where a file that is wrong in any part is not to be used.
    ///
    /// Errors: everything that is wrong with the files.
    pub fn load(&self, project_is_trusted: bool) -> Result<LoadedSettings, SettingsFaults> {
        self.read(project_is_trusted).into_loaded()
    }

    fn document(&self, layer: Layer, path: Option<&Path>, bounds: Option<PathBuf>) -> Document {
        let Some(path) = path else {
            return Document::default();
        };
        let file: Arc<str> = path.display().to_string().into();
        let text = match text_of(path) {
            Ok(Some(text)) => text,
            Ok(None) => return Document::default(),
            Err((position, reason)) => {
                return Document {
                    findings: vec![SettingsFinding {
                        severity: Severity::Fault,
                        file,
                        position,
                        reason,
                    }],
                    ..Document::default()
                };
            }
        };
        let ground = PathGround {
            base: path.parent().unwrap_or(path).to_owned(),
            home: self.home.clone(),
            bounds,
        };
        document::read(layer, &file, &text, &ground)
    }
}

impl SettingsReport {
    /// Returns what holds of a setting, by its path.
    pub fn get(&self, path: &str) -> Option<&EffectiveSetting> {
        self.effective
            .iter()
            .find(|setting| setting.key.path == path)
    }

    /// Returns what holds as a document in the form of the files, without keys and passwords.
    pub fn shown(&self) -> Map<String, Value> {
        let mut document = Map::new();
        for setting in &self.effective {
            if let Some(value) = setting.shown() {
                put(&mut document, setting.key.path, value);
            }
        }
        document
    }

    /// Returns what holds as far as the files are sound, for programs that only tell.
    pub fn sound(&self) -> Settings {
        Settings::of(&self.effective)
    }

    /// Tells whether a file cannot be used.
    pub fn has_faults(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.severity == Severity::Fault)
    }

    /// Returns what holds, for programs.
    ///
    /// Errors: everything that is wrong with the files.
    pub fn into_loaded(self) -> Result<LoadedSettings, SettingsFaults> {
        let (faults, ignored): (Vec<_>, Vec<_>) = self
            .findings
            .into_iter()
            .partition(|finding| finding.severity == Severity::Fault);
        if faults.is_empty() {
            let settings = Settings::of(&self.effective);
            Ok(LoadedSettings { settings, ignored })
        } else {
            Err(SettingsFaults(faults))
        }
    }
}

/// Reads a file; `None` if it is not there.
fn text_of(path: &Path) -> Result<Option<String>, (Option<Position>, String)> {
    let bytes = match bytes_of(path) {
        Ok(bytes) => bytes,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => {
            let reason = format!("cannot be read ({error}); mend that, or take the file away");
            return Err((None, reason));
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let sound = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let text = String::from_utf8_lossy(bytes.get(..sound).unwrap_or_default());
        let position = Position::of(&text, sound);
        let reason = "this is no UTF-8; save the file in that encoding".to_owned();
        (Some(position), reason)
    })
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::other("it is larger than settings can be"));
    }
    std::fs::read(path)
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Puts a value where a path with dots leads.
fn put(document: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            document.insert(path.to_owned(), value);
        }
        Some((group, rest)) => {
            let group = document.entry(group).or_insert_with(|| Map::new().into());
            if let Some(group) = group.as_object_mut() {
                put(group, rest, value);
            }
        }
    }
}
