use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::values::{Values, Worded};

/// How many messages of a queue go to the model at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueMode {
    /// One, and the next after its answer.
    #[default]
    OneAtATime,
    /// All of them.
    All,
}

impl Worded for QueueMode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("one-at-a-time", Self::OneAtATime), ("all", Self::All)];
}

/// What happens to a project that nobody decided on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultProjectTrust {
    /// A person is asked; without one it is not trusted.
    #[default]
    Ask,
    /// It is trusted.
    Always,
    /// It is not trusted.
    Never,
}

impl Worded for DefaultProjectTrust {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("ask", Self::Ask),
        ("always", Self::Always),
        ("never", Self::Never),
    ];
}

/// When a write counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the system has it.
    #[default]
    Normal,
    /// When the disk has it.
    Strict,
}

impl Worded for Durability {
    const WORDS: &'static [(&'static str, Self)] =
        &[("normal", Self::Normal), ("strict", Self::Strict)];
}

/// When a request that failed is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetrySettings {
    /// Whether at all.
    pub enabled: bool,
    /// How often.
    pub max_retries: u32,
    /// The wait before the first; each further one is twice as long.
    pub base_delay: Duration,
    /// The longest wait.
    pub max_delay: Duration,
}

impl RetrySettings {
    pub(super) fn of(values: &Values<'_>) -> Self {
        Self {
            enabled: values.flag("retry.enabled"),
            max_retries: values.count("retry.maxRetries"),
            base_delay: values.duration("retry.baseDelayMs"),
            max_delay: values.duration("retry.maxAgentDelayMs"),
        }
    }
}

/// When a session is summed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether by itself.
    pub enabled: bool,
    /// With fewer tokens left.
    pub reserve_tokens: u64,
    /// How many tokens of the latest messages stay.
    pub keep_recent_tokens: u64,
    /// Other numbers for a model, by `provider/id`.
    pub model_overrides: BTreeMap<String, CompactionOverride>,
}

/// Other numbers for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionOverride {
    /// In place of [`CompactionSettings::reserve_tokens`].
    pub reserve_tokens: Option<u64>,
    /// In place of [`CompactionSettings::keep_recent_tokens`].
    pub keep_recent_tokens: Option<u64>,
}

impl CompactionSettings {
    pub(super) fn of(values: &Values<'_>) -> Self {
        let overrides = values.object("compaction.modelOverrides").into_iter();
        let overrides = overrides.map(|(model, numbers)| {
            let number = |name| numbers.get(name).and_then(Value::as_u64);
            let own = CompactionOverride {
                reserve_tokens: number("reserveTokens"),
                keep_recent_tokens: number("keepRecentTokens"),
            };
            (model, own)
        });
        Self {
            enabled: values.flag("compaction.enabled"),
            reserve_tokens: values.count("compaction.reserveTokens"),
            keep_recent_tokens: values.count("compaction.keepRecentTokens"),
            model_overrides: overrides.collect(),
        }
    }

    /// Returns the numbers for a model: tokens to keep free, and recent tokens that stay.
    pub fn for_model(&self, provider: &str, id: &str) -> (u64, u64) {
        let own = self.model_overrides.get(&format!("{provider}/{id}"));
        let own = own.copied().unwrap_or_default();
        (
            own.reserve_tokens.unwrap_or(self.reserve_tokens),
            own.keep_recent_tokens.unwrap_or(self.keep_recent_tokens),
        )
    }
}

/// Paths by whose file names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayeredPaths {
    /// Those of the project's file.
    pub project: Vec<PathBuf>,
    /// Those of the user's file.
    pub user: Vec<PathBuf>,
}

/// What happens to pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSettings {
    /// Whether large ones are made smaller.
    pub auto_resize: bool,
    /// Whether they are kept from models.
    pub block_images: bool,
}

/// How a terminal is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSettings {
    /// Whether pictures are drawn.
    pub show_images: bool,
    /// How wide they are drawn.
    pub image_width_cells: u16,
}

/// Through which proxy models are reached; a URL may hold a password, which `Debug` does not show.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum ProxySetting {
    /// The one that the variables of the system name.
    #[default]
    System,
    /// None.
    None,
    /// The one at this URL.
    Url(String),
}

impl ProxySetting {
    pub(super) fn of(written: Option<String>) -> Self {
        match written {
            None => Self::System,
            Some(word) if word == "none" => Self::None,
            Some(url) => Self::Url(url),
        }
    }
}

impl fmt::Debug for ProxySetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::None => "None",
            Self::Url(_) => "Url(…)",
        })
    }
}

/// Providers by name, as they stand in the file; they may hold keys, which `Debug` does not show.
#[derive(Clone, Default, PartialEq)]
pub struct ProviderSettings(pub Map<String, Value>);

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// URLs of databases by name; they may hold passwords, which `Debug` does not show.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SqlSettings(pub BTreeMap<String, String>);

impl SqlSettings {
    /// Returns them in the form of the option: `NAME=URL`.
    pub fn specs(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, url)| format!("{name}={url}"))
    }
}

impl fmt::Debug for SqlSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
