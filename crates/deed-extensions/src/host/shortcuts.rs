use std::sync::Arc;

use deed_agent::Caught;

use super::{Core, ExtensionHost, Loaded};
use crate::failure::Fault;
use crate::shortcut::{Shortcut, ShortcutHandler};
use crate::{CommandError, ShortcutInfo};

impl ExtensionHost {
    /// Returns the keys of all extensions, for a front end that has keys. Where several extensions
    /// want one, the last of them has it.
    pub fn shortcuts(&self) -> Vec<ShortcutInfo> {
        let shortcuts = self.0.shortcuts();
        shortcuts.into_iter().map(|(info, ..)| info).collect()
    }

    /// Does what a key is for.
    ///
    /// Errors: as [`ExtensionHost::run_command`].
    ///
    /// Cancellation: the handler hears of it and decides itself.
    pub async fn run_shortcut(&self, key: &str) -> Result<(), CommandError> {
        let key = key.to_lowercase();
        let shortcuts = self.0.shortcuts();
        let found = shortcuts.iter().find(|(info, ..)| *info.key == *key);
        let Some((_, loaded, handler)) = found else {
            return Err(CommandError::Unknown {
                name: key,
                like: Vec::new(),
            });
        };
        let context = self.0.context(&self.0.cancellation());
        let fault = match Caught::new(|| handler(&context)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => Fault::Error(error),
            Err(panic) => Fault::Panic(panic),
        };
        self.0.report(loaded, "shortcut", &fault, None);
        Err(CommandError::Failed {
            name: key,
            error: fault.to_string(),
        })
    }
}

impl Core {
    /// Adds a key, or puts it in the place of an earlier one of the same extension.
    pub(crate) fn register_shortcut(&self, loaded: &Loaded, shortcut: Shortcut) {
        let shortcuts = &mut loaded.registered().shortcuts;
        shortcuts.retain(|there| there.key != shortcut.key);
        shortcuts.push(shortcut);
    }

    fn shortcuts(&self) -> Vec<(ShortcutInfo, Arc<Loaded>, ShortcutHandler)> {
        let mut all: Vec<(ShortcutInfo, Arc<Loaded>, ShortcutHandler)> = Vec::new();
        for loaded in self.extensions().iter() {
            for shortcut in &loaded.registered().shortcuts {
                let info = ShortcutInfo {
                    key: shortcut.key.clone(),
                    description: shortcut.description.clone(),
                    source: loaded.source.clone(),
                };
                all.retain(|(there, ..)| there.key != info.key);
                all.push((info, loaded.clone(), shortcut.handler.clone()));
            }
        }
        all
    }
}
