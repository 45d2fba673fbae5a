//! What an extension is made of and what it will want, told without running it.

mod look;
mod wants;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::resolve::{Target, resolve};
use crate::transpile::with_program;
use crate::{ScriptError, modules};

pub use wants::Wants;

use look::{Looker, Request};

/// More files than this belong to no extension.
const MAX_FILES: usize = 5_000;

/// What can be told of an extension from its files.
///
/// What it loads or asks for under names that it makes up while it runs does not show here.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The extension's file, then all that it imports, with what they import in turn.
    pub files: Vec<SurveyedFile>,
    /// What it will want to do outside of its engine.
    pub wants: Wants,
    /// What it uses of modules that are built in, and of the objects that it is given.
    pub uses: Vec<Use>,
    /// What is wrong with it, or cannot be found.
    pub faults: Vec<String>,
}

/// A file of an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyedFile {
    /// Its real path.
    pub path: PathBuf,
    /// What stands in it.
    pub content: Vec<u8>,
}

/// Something that a file uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line_1based: usize,
    /// What it uses.
    pub used: Used,
}

/// What can be used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Used {
    /// A name of a module that is built in.
    Import {
        /// The module, by its present name.
        module: String,
        /// The name; `None` for all of it.
        name: Option<String>,
    },
    /// A member of an object: `ui.custom` of `ctx.ui.custom`.
    Member {
        /// The last name of the object.
        object: String,
        /// The member.
        member: String,
    },
}

impl Survey {
    /// Looks at an extension's file and all that it imports.
    ///
    /// Blocks on the file system. What is wrong is among the [`faults`](Survey::faults).
    pub fn of(file: &Path) -> Self {
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let mut survey = Self::default();
        let mut seen = HashSet::from([file.clone()]);
        let mut waiting = vec![file];
        while let Some(path) = waiting.pop() {
            if survey.files.len() >= MAX_FILES {
                let reason = format!("it imports more than {MAX_FILES} files");
                survey.faults.push(reason);
                break;
            }
            for found in survey.add(path) {
                if seen.insert(found.clone()) {
                    waiting.push(found);
                }
            }
        }
        survey
    }

    /// Takes a file in and returns those that it imports.
    fn add(&mut self, path: PathBuf) -> Vec<PathBuf> {
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) => {
                self.faults.push(format!("{}: {error}", path.display()));
                return Vec::new();
            }
        };
        let is_json = path.extension().is_some_and(|it| it == "json");
        let looked = (!is_json).then(|| look_at(&path, &content));
        let found = match looked.transpose() {
            Ok(looker) => looker.map_or_else(Vec::new, |looker| self.take(&path, looker)),
            Err(error) => {
                self.faults.push(error.to_string());
                Vec::new()
            }
        };
        self.files.push(SurveyedFile { path, content });
        found
    }

    fn take(&mut self, path: &Path, looker: Looker) -> Vec<PathBuf> {
        self.wants.add(&looker.wants);
        let of_package = path
            .components()
            .any(|part| part.as_os_str() == "node_modules");
        let mut found = Vec::new();
        for request in looker.requests {
            let Request {
                specifier, names, ..
            } = &request;
            match resolve(specifier, path, request.asked) {
                Ok(Target::File(file)) => found.push(file),
                Ok(Target::BuiltIn(identity)) => {
                    let names = names.as_deref();
                    self.wants.of_module(&identity, names);
                    if !of_package {
                        self.imported(path, &request, &identity);
                    }
                }
                // Packages try what may be missing, and go on without.
                Err(_) if of_package => {}
                Err(error) => {
                    let at = request.line_1based;
                    self.faults
                        .push(format!("{}:{at}: {error}", path.display()));
                }
            }
        }
        if !of_package {
            let uses = looker.members.into_iter().map(|(line_1based, used)| Use {
                file: path.to_owned(),
                line_1based,
                used,
            });
            self.uses.extend(uses);
        }
        found
    }

    fn imported(&mut self, path: &Path, request: &Request, identity: &str) {
        let module = modules::name_of(identity).unwrap_or(request.specifier.clone());
        let names = match &request.names {
            Some(names) => names.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        self.uses.extend(names.into_iter().map(|name| Use {
            file: path.to_owned(),
            line_1based: request.line_1based,
            used: Used::Import {
                module: module.clone(),
                name,
            },
        }));
    }
}

fn look_at(path: &Path, content: &[u8]) -> Result<Looker, ScriptError> {
    let unreadable = || ScriptError::Read {
        path: path.to_owned(),
        cause: "it is not UTF-8".to_owned(),
    };
    let text = std::str::from_utf8(content).map_err(|_| unreadable())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    with_program(path, text, |program, _| Looker::over(program, text))
}
