//! What the command line says of extensions as files.

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXTENSION_HELP: &str = "\
Extensions are TypeScript or JavaScript files, those written for Pi among them. They lie in
.deed/extensions of a project, in the folder `extensions` beside your settings, or where the setting
`extensions` says; -e FILE loads one for a run. Each is accepted once, as it is then.

Examples:
  deed extension list              which there are here, and whether they are accepted
  deed extension new my-log        a first one to begin with, in a folder of its own
  deed extension check gate.ts     load one with nothing allowed, and tell what it brings and wants
  deed trust --extension gate.ts   accept one without being asked";

/// List, check and begin extensions
#[derive(Debug, Args)]
#[command(after_help = EXTENSION_HELP)]
pub(crate) struct ExtensionsArgs {
    #[command(subcommand)]
    pub(crate) command: ExtensionCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExtensionCommand {
    /// List the extensions of this folder, and whether they are accepted
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a folder with a first extension, and declarations for editors
    New {
        /// Its name
        name: String,
        /// The folder to make it in; by default this one
        #[arg(value_name = "DIR")]
        below: Option<PathBuf>,
    },
    /// Load extensions with nothing allowed, and tell what they bring, want and cannot do
    Check {
        /// Files, or folders of them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
