mod kinds;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use deed_protocol::ThinkingLevel;

pub use kinds::{
    CompactionOverride, CompactionSettings, DefaultProjectTrust, Durability, ImageSettings,
    LayeredPaths, ProviderSettings, ProxySetting, QueueMode, RetrySettings, SqlSettings,
    TerminalSettings,
};

use super::effective::EffectiveSetting;
use super::merge::merge;
use values::Values;

/// What the settings come to.
///
/// Shape: a field for each row of [`SETTINGS`](super::SETTINGS), which documents them; the default
/// is what holds without files. Paths are absolute.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The model.
    pub model: Option<String>,
    /// Whose model it is.
    pub provider: Option<String>,
    /// How much it thinks; `None` is its own way.
    pub thinking: Option<ThinkingLevel>,
    /// Providers by name.
    pub providers: ProviderSettings,
    /// The most turns of a prompt.
    pub max_turns: Option<u32>,
    /// The most that a session may cost.
    ///
    /// Units: US dollars.
    pub max_cost_usd: Option<f64>,
    /// The most turns in a row with the very same calls.
    pub repeat_limit: u32,
    /// How long a call may go on after it was cancelled.
    pub cancel_grace: Duration,
    /// How many calls run at once at most.
    pub max_concurrent_calls: usize,
    /// How many steering messages go at once.
    pub steering_mode: QueueMode,
    /// How many follow-up messages go at once.
    pub follow_up_mode: QueueMode,
    /// When requests are sent again.
    pub retry: RetrySettings,
    /// When a session is summed up.
    pub compaction: CompactionSettings,
    /// The tools to begin with: plain names, then changes of them.
    pub default_tools: Vec<String>,
    /// The shell for `bash`.
    pub shell_path: Option<String>,
    /// What is put before every command.
    pub shell_command_prefix: Option<String>,
    /// Whether what hooks make of arguments need not fit the schema.
    pub pi_compatible_hooks: bool,
    /// Databases by name.
    pub sql: SqlSettings,
    /// What happens to pictures.
    pub images: ImageSettings,
    /// Further folders of the workspace.
    pub add_dirs: Vec<PathBuf>,
    /// Further context files.
    pub context_files: LayeredPaths,
    /// Further skills.
    pub skills: LayeredPaths,
    /// Further prompt templates.
    pub prompts: LayeredPaths,
    /// Further extensions.
    pub extensions: LayeredPaths,
    /// Whether extensions are looked for where Pi has them.
    pub pi_extensions: bool,
    /// What happens to a project that nobody decided on.
    pub default_project_trust: DefaultProjectTrust,
    /// Where sessions are kept.
    pub session_dir: Option<PathBuf>,
    /// When a write counts as done.
    pub durability: Durability,
    /// The proxy.
    pub proxy: ProxySetting,
    /// Hosts that are reached without it, separated by commas.
    pub no_proxy: Option<String>,
    /// How long a server may be silent; `None` is for ever.
    pub http_idle_timeout: Option<Duration>,
    /// Whether the certificates of the system are trusted, in place of the bundled ones.
    pub tls_system_roots: bool,
    /// Files with further certificates to trust.
    pub tls_extra_roots: Vec<PathBuf>,
    /// How a terminal is used.
    pub terminal: TerminalSettings,
}

impl Settings {
    pub(crate) fn of(effective: &[EffectiveSetting]) -> Self {
        let values = Values(effective);
        Self {
            model: values.text("model"),
            provider: values.text("provider"),
            thinking: values.text("thinking").and_then(|word| word.parse().ok()),
            providers: ProviderSettings(values.object("providers")),
            max_turns: values.optional("maxTurns").and_then(Values::narrow),
            max_cost_usd: values.amount("maxCost"),
            repeat_limit: values.count("repeatLimit"),
            cancel_grace: values.duration("cancelGraceMs"),
            max_concurrent_calls: values.count("maxConcurrentCalls"),
            steering_mode: values.word("steeringMode"),
            follow_up_mode: values.word("followUpMode"),
            retry: RetrySettings::of(&values),
            compaction: CompactionSettings::of(&values),
            default_tools: values.texts("defaultTools"),
            shell_path: values.text("shellPath"),
            shell_command_prefix: values.text("shellCommandPrefix"),
            pi_compatible_hooks: values.flag("piCompatibleHooks"),
            sql: SqlSettings(values.texts_by_name("sql")),
            images: ImageSettings {
                auto_resize: values.flag("images.autoResize"),
                block_images: values.flag("images.blockImages"),
            },
            add_dirs: values.paths("addDirs"),
            context_files: values.layered_paths("contextFiles"),
            skills: values.layered_paths("skills"),
            prompts: values.layered_paths("prompts"),
            extensions: values.layered_paths("extensions"),
            pi_extensions: values.flag("piExtensions"),
            default_project_trust: values.word("defaultProjectTrust"),
            session_dir: values.text("sessionDir").map(PathBuf::from),
            durability: values.word("durability"),
            proxy: ProxySetting::of(values.text("proxy")),
            no_proxy: values.text("noProxy"),
            http_idle_timeout: Some(values.duration("httpIdleTimeoutMs"))
                .filter(|timeout| !timeout.is_zero()),
            tls_system_roots: values.flag("tls.systemRoots"),
            tls_extra_roots: values.paths("tls.extraRoots"),
            terminal: TerminalSettings {
                show_images: values.flag("terminal.showImages"),
                image_width_cells: values.count("terminal.imageWidthCells"),
            },
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&merge(&[], &[], &mut Vec::new()))
    }
}
