//! What the command line says of settings, keys and the state of the machine.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const CONFIG_HELP: &str = "\
Files: ~/.config/deed/settings.json, and .deed/settings.json of the project once you trust it (`deed
trust --project .`). Both are JSON with comments; a project cannot set what would reach your keys.

Examples:
  deed config                           everything that holds, and where it comes from
  deed config retry                     some of it, with what it means
  deed config --json
  $EDITOR \"$(deed config path)\"         change your settings
  deed config schema > schema.json      for an editor: \"$schema\": \"schema.json\"

Exit code: 0, or 2 if a file is wrong (the message names file, line and column) or there is no such
setting.";

/// Show what settings hold, and where each comes from
#[derive(Debug, Args)]
#[command(after_help = CONFIG_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
    /// Only this setting, or those below this name
    pub(crate) key: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) trust: ProjectTrustArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print where your settings are
    Path {
        /// All files and folders that Deed uses, and whether they are there
        #[arg(long)]
        all: bool,
    },
    /// Print the JSON Schema of settings
    Schema {
        /// Print the documentation of all settings instead
        #[arg(long)]
        markdown: bool,
    },
}

/// Whether the project is trusted this time.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct ProjectTrustArgs {
    /// As if the project were trusted
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// As if it were not
    #[arg(long, conflicts_with = "trust_project")]
    pub(crate) no_trust_project: bool,
}

impl ProjectTrustArgs {
    /// Returns what was said, if anything was.
    pub(crate) fn said(self) -> Option<bool> {
        match (self.trust_project, self.no_trust_project) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

const AUTH_HELP: &str = "\
Keys are kept in ~/.config/deed/auth.json, which nobody else may read. A key is looked for in this
order: --api-key, the provider's apiKey in the settings, this file, the variables of the provider.

Examples:
  deed auth set anthropic                                     asks for the key
  deed auth set openai < key.txt
  deed auth set openai --command 'pass show openai'           runs it when the key is needed
  deed auth set groq --env MY_GROQ_KEY
  deed auth list
  deed auth remove anthropic";

/// Keep the keys of model providers
#[derive(Debug, Args)]
#[command(after_help = AUTH_HELP)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    pub(crate) command: AuthCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Store the key of a provider, read from the terminal or from standard input
    Set {
        /// Whose key, such as anthropic or openai
        provider: String,
        /// A command that prints the key, instead of the key
        #[arg(long, value_name = "COMMAND")]
        command: Option<String>,
        /// The variable that holds the key, instead of the key
        #[arg(long, value_name = "NAME", conflicts_with = "command")]
        env: Option<String>,
    },
    /// List whose keys there are and where they come from; no key is shown
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget the key of a provider
    Remove {
        /// Whose key
        provider: String,
    },
}

const DOCTOR_HELP: &str = "\
Nothing is changed and nothing is sent: only servers on this machine are asked.

Exit code: 0, or 1 if something does not work.";

/// Tell what works on this machine, and what to do about the rest
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_HELP)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder to look from
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}
