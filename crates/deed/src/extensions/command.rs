//! `deed extension`: which extensions there are, what one is made of, and a first one to begin with.

mod check;
mod list;
mod new;

use crate::cli::ExtensionCommand;
use crate::exit::Ending;

/// Does what the command line says.
pub(crate) fn run(command: &ExtensionCommand) -> anyhow::Result<Ending> {
    match command {
        ExtensionCommand::List { json } => list::run(*json),
        ExtensionCommand::New { name, below } => new::run(name, below.as_deref()),
        ExtensionCommand::Check { paths, json } => check::run(paths, *json),
    }
}
