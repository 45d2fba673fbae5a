use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use deed_env::ExecutionEnv;

/// A command that prints without end must not fill the disk.
const MAX_SAVED_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The whole output: in memory while it can be shown whole, in a file from then on.
pub(super) struct SavedOutput {
    env: Arc<dyn ExecutionEnv>,
    stem: String,
    place: Place,
    saved_bytes: u64,
}

enum Place {
    Memory(Vec<u8>),
    File(PathBuf, File),
    /// Nothing more is saved.
    Stopped(Saved),
}

/// Where the whole output is.
#[derive(Clone, Debug, Default)]
pub(super) struct Saved {
    /// The file, if there had to be one.
    pub(super) path: Option<PathBuf>,
    /// Why not all of it is there.
    pub(super) problem: Option<String>,
}

impl SavedOutput {
    pub(super) fn new(env: Arc<dyn ExecutionEnv>, stem: String) -> Self {
        Self {
            env,
            stem,
            place: Place::Memory(Vec::new()),
            saved_bytes: 0,
        }
    }

    /// Takes the next bytes; `is_too_much` says that they no longer can be shown whole.
    pub(super) fn push(&mut self, bytes: &[u8], is_too_much: bool) {
        if is_too_much {
            self.spill();
        }
        match &mut self.place {
            Place::Memory(head) => head.extend_from_slice(bytes),
            Place::File(..) => self.write(bytes),
            Place::Stopped(_) => {}
        }
    }

    /// Puts what is in memory into a file.
    pub(super) fn spill(&mut self) {
        let Place::Memory(head) = &mut self.place else {
            return;
        };
        let head = std::mem::take(head);
        match self.env.create_output_file(&self.stem) {
            Ok((path, file)) => {
                self.place = Place::File(path, file);
                self.write(&head);
            }
            Err(error) => {
                let problem = Some(error.to_string());
                self.place = Place::Stopped(Saved {
                    path: None,
                    problem,
                });
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let Place::File(path, file) = &mut self.place else {
            return;
        };
        let room = usize::try_from(MAX_SAVED_BYTES - self.saved_bytes).unwrap_or(usize::MAX);
        let fitting = bytes.get(..room).unwrap_or(bytes);
        let problem = match file.write_all(fitting) {
            Err(error) => error.to_string(),
            Ok(()) if fitting.len() < bytes.len() => {
                format!(
                    "at most {} are saved",
                    deed_tooling::format_size(MAX_SAVED_BYTES)
                )
            }
            Ok(()) => {
                self.saved_bytes += fitting.len() as u64;
                return;
            }
        };
        let path = Some(std::mem::take(path));
        self.place = Place::Stopped(Saved {
            path,
            problem: Some(problem),
        });
    }

    /// Says where the output is so far.
    pub(super) fn whereabouts(&self) -> Saved {
        match &self.place {
            Place::Memory(_) => Saved::default(),
            Place::File(path, _) => Saved {
                path: Some(path.clone()),
                problem: None,
            },
            Place::Stopped(saved) => saved.clone(),
        }
    }
}
