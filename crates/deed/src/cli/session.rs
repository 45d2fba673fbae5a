//! What the command line says of sessions that are over.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

const SESSION_HELP: &str = "\
A session is named by its file, its id, or the beginning of its id.

Examples:
  deed session list                      those of this folder, the latest first
  deed session show 01a2                 read one
  deed session export 01a2 review.html   hand one on, as a page without script
  deed session fork 01a2                 begin a new one with its transcript
  deed -c -p \"go on\"                     go on with the latest of this folder";

/// List, read and hand on sessions
#[derive(Debug, Args)]
#[command(after_help = SESSION_HELP)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) command: SessionCommand,
    /// The folder of the sessions
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) session_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions, the latest first
    List {
        /// Those of all folders
        #[arg(long)]
        all: bool,
        /// Print JSON, one line each
        #[arg(long)]
        json: bool,
    },
    /// Print a session as Markdown
    Show {
        /// The session
        session: String,
        /// Print its entries as they are, one JSON line each
        #[arg(long)]
        json: bool,
    },
    /// Write a session as one HTML page or one Markdown document
    Export {
        /// The session
        session: String,
        /// The file; by default the id of the session, in this folder
        file: Option<PathBuf>,
        /// The form; by default that of the end of the file's name, else HTML
        #[arg(long, value_enum, value_name = "FORMAT")]
        format: Option<ExportAs>,
        /// Write over a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Begin a new session with the transcript of another, and print its id
    Fork {
        /// The session
        session: String,
        /// Only up to this entry
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportAs {
    /// One page without script
    Html,
    /// One document
    Markdown,
}
