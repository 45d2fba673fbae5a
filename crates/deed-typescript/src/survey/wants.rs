use std::collections::BTreeSet;

/// What an extension will want to do outside of its engine, as its files show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Read files.
    pub reads: bool,
    /// Write files.
    pub writes: bool,
    /// Run programs.
    pub runs: bool,
    /// Talk to hosts.
    pub connects: bool,
    /// Variables of the environment, by name.
    pub variables: BTreeSet<String>,
    /// Variables whose names only show when it runs.
    pub other_variables: bool,
    /// Modules whose names only show when it runs.
    pub other_modules: bool,
}

/// A kind of want.
#[derive(Clone, Copy)]
enum Want {
    Read,
    Write,
    Run,
    Connect,
}

/// What names of modules stand for; the first row that fits counts.
///
/// Shape: module, start of the name, wants. A module as a whole stands for all of its rows.
const NAMES: &[(&str, &str, &[Want])] = &[
    ("deed:modules/node/child_process", "", &[Want::Run]),
    ("deed:modules/node/fs", "read", &[Want::Read]),
    ("deed:modules/node/fs", "exists", &[Want::Read]),
    ("deed:modules/node/fs", "stat", &[Want::Read]),
    ("deed:modules/node/fs", "lstat", &[Want::Read]),
    ("deed:modules/node/fs", "access", &[Want::Read]),
    ("deed:modules/node/fs", "realpath", &[Want::Read]),
    ("deed:modules/node/fs", "watch", &[Want::Read]),
    ("deed:modules/node/fs", "createReadStream", &[Want::Read]),
    ("deed:modules/node/fs", "opendir", &[Want::Read]),
    ("deed:modules/node/fs", "glob", &[Want::Read]),
    ("deed:modules/node/fs", "constants", &[]),
    ("deed:modules/node/fs", "", &[Want::Read, Want::Write]),
    ("deed:modules/pi-coding-agent", "createBash", &[Want::Run]),
    (
        "deed:modules/pi-coding-agent",
        "createLocalBash",
        &[Want::Run],
    ),
    ("deed:modules/pi-coding-agent", "createRead", &[Want::Read]),
    ("deed:modules/pi-coding-agent", "createGrep", &[Want::Read]),
    ("deed:modules/pi-coding-agent", "createFind", &[Want::Read]),
    ("deed:modules/pi-coding-agent", "createLs", &[Want::Read]),
    (
        "deed:modules/pi-coding-agent",
        "createEdit",
        &[Want::Read, Want::Write],
    ),
    (
        "deed:modules/pi-coding-agent",
        "createWrite",
        &[Want::Write],
    ),
    (
        "deed:modules/pi-coding-agent",
        "createCoding",
        &[Want::Read, Want::Write, Want::Run],
    ),
    (
        "deed:modules/pi-coding-agent",
        "createReadOnly",
        &[Want::Read],
    ),
];

impl Wants {
    pub(super) fn add(&mut self, other: &Self) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.runs |= other.runs;
        self.connects |= other.connects;
        self.variables.extend(other.variables.iter().cloned());
        self.other_variables |= other.other_variables;
        self.other_modules |= other.other_modules;
    }

    /// Notes what using names of a built-in module means; `None` is all of it.
    pub(super) fn of_module(&mut self, identity: &str, names: Option<&[String]>) {
        // `fs/promises` has the names of `fs`.
        let module = identity.strip_suffix("/promises").unwrap_or(identity);
        let rows = NAMES.iter().filter(|(own, ..)| *own == module);
        let names = match names {
            // Who takes all of Pi's package takes no tool from it for that.
            None if module.starts_with("deed:modules/pi-") => return,
            None => return rows.for_each(|(.., wants)| self.note(wants)),
            Some(names) => names,
        };
        for name in names {
            // Some are imported as a whole under a name: `import { promises } from "fs"`.
            let row = rows.clone().find(|(_, start, _)| name.starts_with(start));
            row.into_iter().for_each(|(.., wants)| self.note(wants));
        }
    }

    fn note(&mut self, wants: &[Want]) {
        for want in wants {
            match want {
                Want::Read => self.reads = true,
                Want::Write => self.writes = true,
                Want::Run => self.runs = true,
                Want::Connect => self.connects = true,
            }
        }
    }

    pub(super) fn runs(&mut self) {
        self.note(&[Want::Run]);
    }

    pub(super) fn connects(&mut self) {
        self.note(&[Want::Connect]);
    }
}
