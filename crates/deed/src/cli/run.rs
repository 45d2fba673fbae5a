//! What the command line says of a run of the agent.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use deed_extensions::FlagValue;
use deed_models::Api;
use deed_protocol::ThinkingLevel;

use super::{GuardArgs, LookArgs, SelectionArgs, SqlArgs};

/// A run of the agent.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunArgs {
    /// What to do; a word that begins with `@` names a file whose content goes with it
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Run once and print the answer; standard input goes with the prompt
    #[arg(long, short)]
    pub(crate) print: bool,
    /// What to print: the last answer, every event as a JSON line, or answers to commands that come
    /// as JSON lines
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// With --mode json or rpc: put the card of each call, as its tool draws it, into its events
    #[arg(long)]
    pub(crate) cards: bool,
    /// End the run after so many answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    /// End the run when it has cost so many US dollars
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<f64>,
    /// Tell on standard error what goes on; no secret is in it
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) extensions: ExtensionArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
    #[command(flatten)]
    pub(crate) sql: SqlArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

/// How a run talks to whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// The last answer
    Text,
    /// Every event
    Json,
    /// Commands in, answers and events out
    Rpc,
}

/// Which model answers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// The model: its id, provider/id, either with `:LEVEL` of thinking, or script:FILE
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Who runs it, such as anthropic, openai, google or ollama
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// How much it thinks: off, minimal, low, medium, high, xhigh or max
    #[arg(long, value_name = "LEVEL")]
    pub(crate) thinking: Option<ThinkingLevel>,
    /// The interface of --base-url: chat, responses, anthropic or gemini
    #[arg(long, value_name = "API", value_parser = api)]
    pub(crate) api: Option<Api>,
    /// Where the model is reached
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The key; other users of this machine can see it, so prefer `deed auth`
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
}

fn api(word: &str) -> Result<Api, String> {
    Api::named(word)
        .ok_or_else(|| "the interfaces are chat, responses, anthropic and gemini".to_owned())
}

/// Which session the run is part of.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArgs {
    /// Go on with this session: its file, its id or the beginning of its id
    #[arg(long, visible_alias = "resume", short = 'r', value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Go on with the last session of this folder
    #[arg(long = "continue", short = 'c', conflicts_with = "session")]
    pub(crate) continue_last: bool,
    /// Begin a new session with the transcript of this one
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["session", "continue_last"])]
    pub(crate) fork: Option<String>,
    /// Keep nothing of this run but its audit log
    #[arg(long, conflicts_with_all = ["session", "continue_last", "fork", "name"])]
    pub(crate) no_session: bool,
    /// The folder of the sessions
    #[arg(long, value_name = "DIR")]
    pub(crate) session_dir: Option<PathBuf>,
    /// A name for the session
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// What the model is told beside the prompt.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Instructions")]
pub(crate) struct ResourceArgs {
    /// In place of the usual system prompt: a text, or a file
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,
    /// Behind the system prompt: a text, or a file; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Vec<String>,
    /// One more skill, or folder of skills; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) skill: Vec<PathBuf>,
    /// One more prompt template, or folder of them; may be given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) prompt_template: Vec<PathBuf>,
    /// Leave out AGENTS.md and CLAUDE.md
    #[arg(long, short = 'C')]
    pub(crate) no_context_files: bool,
    /// Load settings, skills and templates of this project
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Load nothing of this project but its AGENTS.md
    #[arg(long, conflicts_with = "trust_project")]
    pub(crate) no_trust_project: bool,
}

/// Which extensions are loaded.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Extensions")]
pub(crate) struct ExtensionArgs {
    /// Load this extension too, as it is: a .ts or .js file, or a folder of them; may be given
    /// several times
    #[arg(long, short = 'e', value_name = "PATH")]
    pub(crate) extension: Vec<PathBuf>,
    /// Load no others
    #[arg(long, visible_alias = "ne")]
    pub(crate) no_extensions: bool,
    /// Options that are not Deed's own, and so may be flags of extensions.
    #[arg(skip)]
    pub(crate) flags: ExtensionFlags,
}

/// Flags of extensions on the command line, which only they know.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExtensionFlags {
    pub(crate) given: Vec<(String, FlagValue)>,
    /// What is said where no extension has them.
    pub(crate) complaint: String,
}
