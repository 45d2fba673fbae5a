use std::sync::Arc;

use deed_agent::Caught;

use super::{Core, ExtensionHost, Loaded};
use crate::command::{Command, CommandHandler};
use crate::failure::Fault;
use crate::{CommandError, CommandInfo};

impl ExtensionHost {
    /// Returns the commands of all extensions.
    pub fn commands(&self) -> Vec<CommandInfo> {
        self.0.command_infos()
    }

    /// Runs a command by what it is called by.
    ///
    /// Errors: there is none, or it failed; the latter is reported like a failing handler too.
    ///
    /// Cancellation: the command hears of it and decides itself.
    pub async fn run_command(&self, invocation: &str, args: &str) -> Result<(), CommandError> {
        let commands = self.0.commands();
        let found = commands
            .iter()
            .find(|(info, ..)| info.invocation == invocation);
        let Some((_, loaded, handler)) = found else {
            let alike = commands
                .iter()
                .filter(|(info, ..)| &*info.name == invocation);
            return Err(CommandError::Unknown {
                name: invocation.to_owned(),
                like: alike.map(|(info, ..)| info.invocation.clone()).collect(),
            });
        };
        let context = self.0.context(&self.0.cancellation());
        let fault = match Caught::new(|| handler(args, &context)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => Fault::Error(error),
            Err(panic) => Fault::Panic(panic),
        };
        self.0.report(loaded, "command", &fault, None);
        Err(CommandError::Failed {
            name: invocation.to_owned(),
            error: fault.to_string(),
        })
    }
}

impl Core {
    /// Adds a command, or puts it in the place of an earlier one of the same extension.
    pub(crate) fn register_command(&self, loaded: &Loaded, command: Command) {
        let commands = &mut loaded.registered().commands;
        match commands.iter_mut().find(|there| there.name == command.name) {
            Some(there) => *there = command,
            None => commands.push(command),
        }
    }

    pub(crate) fn command_infos(&self) -> Vec<CommandInfo> {
        let commands = self.commands();
        commands.into_iter().map(|(info, ..)| info).collect()
    }

    fn commands(&self) -> Vec<(CommandInfo, Arc<Loaded>, CommandHandler)> {
        let mut commands = Vec::new();
        for loaded in self.extensions().iter() {
            for command in &loaded.registered().commands {
                let info = CommandInfo {
                    invocation: command.name.to_string(),
                    name: command.name.clone(),
                    description: command.description.clone(),
                    source: loaded.source.clone(),
                };
                commands.push((info, loaded.clone(), command.handler.clone()));
            }
        }
        let names: Vec<Arc<str>> = commands
            .iter()
            .map(|(info, ..)| info.name.clone())
            .collect();
        for (at, (info, ..)) in commands.iter_mut().enumerate() {
            let count =
                |names: &[Arc<str>]| names.iter().filter(|name| **name == info.name).count();
            if count(&names) > 1 {
                let nth = count(names.get(..=at).unwrap_or_default());
                info.invocation = format!("{}:{nth}", info.name);
            }
        }
        commands
    }
}
