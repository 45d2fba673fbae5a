//! What the command line says of imports.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Take over what you have in another agent
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) source: ImportSource,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ImportSource {
    Pi(PiArgs),
}

const PI_HELP: &str = "\
Nothing that is there is overwritten, and nothing of Pi's is changed. What was signed in to with an
account must be signed in to anew, or given a key with `deed auth`.

Examples:
  deed import pi --dry-run     tell what would be taken
  deed import pi
  deed import pi --from /mnt/old/home/.pi/agent

Exit code: 0, 1 if something could not be taken, 2 if there is no such folder.";

/// Take settings, models, keys, sessions, skills and prompts from Pi
#[derive(Debug, Args)]
#[command(after_help = PI_HELP)]
pub(crate) struct PiArgs {
    /// Only tell what would be taken
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Pi's folder; by default that of PI_CODING_AGENT_DIR, or ~/.pi/agent
    #[arg(long, value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,
    /// Print JSON, a line for each thing
    #[arg(long)]
    pub(crate) json: bool,
}
