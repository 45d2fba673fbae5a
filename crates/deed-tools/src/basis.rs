use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{ConstrainedSampling, Strictness};
use deed_env::ExecutionEnv;

/// How a provider is to hold the model to the schema of a tool whose wrong arguments would cost a turn.
pub(crate) const PREFER_STRICT: ConstrainedSampling =
    ConstrainedSampling::JsonSchema(Strictness::Prefer);

/// What every built-in tool is made from.
#[derive(Clone)]
pub struct ToolBasis {
    /// Where the tools act.
    pub env: Arc<dyn ExecutionEnv>,
    /// How they act.
    pub settings: Arc<ToolSettings>,
}

impl fmt::Debug for ToolBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBasis")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// How the built-in tools act.
#[derive(Clone, Debug)]
pub struct ToolSettings {
    /// How long a command may take if the call says nothing.
    pub command_timeout: Duration,
    /// How long a command may take, whatever the call says.
    pub max_command_timeout: Duration,
    /// The shell for `bash`; found on the search path if absent.
    pub shell_path: Option<String>,
    /// Put on a line of its own before every `bash` command.
    pub shell_command_prefix: Option<String>,
    /// Whether large pictures are made smaller.
    pub images_auto_resize: bool,
    /// The largest file that `edit` changes.
    ///
    /// Units: bytes.
    pub edit_max_bytes: u64,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            command_timeout: Duration::from_secs(600),
            max_command_timeout: Duration::MAX,
            shell_path: None,
            shell_command_prefix: None,
            images_auto_resize: true,
            edit_max_bytes: 256 * 1024 * 1024,
        }
    }
}
