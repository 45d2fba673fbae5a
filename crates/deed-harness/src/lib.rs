//! The agent session: one object that every mode of the program and every host shares.
//!
//! It wires the registry of tools, the environment they act in, the model, the gate and the hooks
//! into an [`deed_agent::Agent`], and puts the system prompt together from the active tools. It
//! draws nothing and reads no environment variable: configuration is handed in.
//!
//! Start reading at [`AgentSession`].

mod bash;
mod builder;
mod cards;
mod clock;
mod compaction;
mod context;
mod controls;
pub mod credentials;
pub mod extension_files;
mod extension_record;
mod extensions;
mod guard;
mod hooks;
mod import;
mod journal;
mod journaling;
pub mod model_choice;
mod model_slot;
mod navigate;
mod no_model;
mod policy_files;
pub mod project_trust;
mod prompt;
mod prompting;
mod resources;
mod resume;
mod retry;
mod run_limits;
mod saved_text;
mod session;
mod session_gate;
pub mod settings;
mod stats;
mod stream;
mod ui_prompts;

pub use bash::{BashError, BashRequest, RanCommand};
pub use builder::{SessionBuilder, SessionError};
pub use clock::wall_clock_ms;
pub use compaction::{CompactionDone, CompactionError};
pub use import::{Import, ImportError, ImportItem, ImportKind, ImportOutcome, ImportPlaces};
pub use navigate::NavigateError;
pub use policy_files::{LoadedPolicy, PolicyFiles, PolicyLoadError, names_of, real};
pub use prompt::SystemPrompt;
pub use resources::{
    ContextFile, ExpandError, Expanded, FrontMatterError, FrontMatterFault, PromptTemplate,
    ResourceCommand, ResourceDiagnostic, ResourcePlaces, ResourceProblem, Resources, Skill,
    SystemFile, text_or_file,
};
pub use resume::Resumed;
pub use retry::RetryPolicy;
pub use run_limits::RunLimits;
pub use session::AgentSession;
pub use stats::SessionStats;
pub use stream::RunStream;
