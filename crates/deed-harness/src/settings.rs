//! Settings: two files of JSON with comments, the user's and the project's, and what they come to.
//!
//! Every setting is a row of [`SETTINGS`]: reading, checking, the report of unknown keys, `deed config`,
//! the published schema and the documentation derive from it. [`SettingsFiles::read`] tells all
//! there is to know of each setting and where it comes from; [`SettingsFiles::load`] gives
//! [`Settings`], or everything that is wrong. Nothing is passed over in silence.
//!
//! What would let a project reach the person's keys, money or other folders counts in the user's
//! file alone ([`WhoMaySet`]).

mod applied;
mod describe;
mod document;
mod effective;
mod files;
mod finding;
mod key;
mod merge;
mod nearest;
mod paths;
mod providers;
mod schema;
mod shown;
mod table;
mod typed;
mod value;

pub(crate) use document::read as read_document;
pub(crate) use paths::PathGround;
pub(crate) use providers::{
    MODEL as MODEL_MEMBERS, PROVIDER as PROVIDER_MEMBERS, wrong as wrong_provider,
};

pub use describe::settings_markdown;
pub use effective::{EffectiveSetting, Layer, Origin};
pub use files::{LoadedSettings, SettingsFiles, SettingsReport};
pub use finding::{Position, SettingsFaults, SettingsFinding, Severity};
pub use key::{SettingDefault, SettingGroup, SettingKey, SettingKind, WhoMaySet};
pub use nearest::nearest;
pub use schema::settings_schema;
pub use table::SETTINGS;
pub use typed::{
    CompactionOverride, CompactionSettings, DefaultProjectTrust, Durability, ImageSettings,
    LayeredPaths, ProviderSettings, ProxySetting, QueueMode, RetrySettings, Settings, SqlSettings,
    TerminalSettings,
};
