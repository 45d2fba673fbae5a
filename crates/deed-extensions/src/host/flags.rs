use std::sync::Arc;

use super::{Core, ExtensionHost, Loaded};
use crate::flag::Flag;
use crate::{ExtensionError, FlagInfo, FlagValue, Problem};

impl ExtensionHost {
    /// Returns the flags of all extensions.
    pub fn flags(&self) -> Vec<FlagInfo> {
        let extensions = self.0.extensions();
        let infos = extensions.iter().flat_map(|loaded| {
            let info = |flag: &Flag| FlagInfo {
                name: flag.name.clone(),
                kind: flag.kind,
                default: flag.default.clone(),
                description: flag.description.clone(),
                source: loaded.source.clone(),
            };
            let registered = loaded.registered();
            registered.flags.iter().map(info).collect::<Vec<_>>()
        });
        infos.collect()
    }
}

impl Core {
    /// Adds a flag; of one that is still registering, others are looked at when it is done.
    ///
    /// Errors: another extension that was loaded has it.
    pub(crate) fn register_flag(&self, loaded: &Loaded, flag: Flag) -> Result<(), ExtensionError> {
        let is_registering = loaded.registered().waiting_tools.is_some();
        if !is_registering && let Some(taken) = self.taken(loaded, &flag.name) {
            self.note(&loaded.source, Problem::NotRegistered(taken.to_string()));
            return Err(taken);
        }
        loaded.registered().put_flag(flag);
        Ok(())
    }

    /// Takes away from an extension those flags that one before it has.
    pub(super) fn drop_taken_flags(&self, loaded: &Loaded) {
        loaded.registered().flags.retain(|flag| {
            let taken = self.taken(loaded, &flag.name);
            if let Some(taken) = &taken {
                self.note(&loaded.source, Problem::NotRegistered(taken.to_string()));
            }
            taken.is_none()
        });
    }

    fn taken(&self, loaded: &Loaded, name: &str) -> Option<ExtensionError> {
        let extensions = self.extensions();
        let holder = extensions.iter().find(|other| {
            other.source.path != loaded.source.path
                && other
                    .registered()
                    .flags
                    .iter()
                    .any(|flag| &*flag.name == name)
        })?;
        Some(ExtensionError::FlagTaken {
            name: name.to_owned(),
            holder: holder.source.path.to_string(),
        })
    }

    /// Returns the value of an extension's own flag.
    pub(crate) fn flag(&self, loaded: &Loaded, name: &str) -> Option<FlagValue> {
        let registered = loaded.registered();
        let flag = registered.flags.iter().find(|flag| &*flag.name == name)?;
        let given = self.options.flags.get(name);
        given
            .filter(|value| flag.kind.takes(value))
            .cloned()
            .or_else(|| flag.default.clone())
    }

    /// Notes given values that their flag does not take.
    pub(super) fn check_given_flags(&self) {
        let extensions: Vec<Arc<Loaded>> = self.extensions().clone();
        for loaded in extensions {
            let flags = loaded.registered().flags.clone();
            for flag in flags {
                let given = self.options.flags.get(&*flag.name);
                if given.is_some_and(|value| !flag.kind.takes(value)) {
                    let problem = Problem::FlagValue {
                        name: flag.name.to_string(),
                        expected: flag.kind.noun(),
                    };
                    self.note(&loaded.source, problem);
                }
            }
        }
    }
}
