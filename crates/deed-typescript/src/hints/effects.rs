use super::code::{Code, FoundFunction};

/// What functions do, as the names of what they call tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) runs: bool,
    pub(super) connects: bool,
    pub(super) asks: bool,
    /// Cuts a text or a list.
    pub(super) cuts: bool,
    pub(super) waits: bool,
}

type Note = fn(&mut Effects);

const READS: Note = |effects| effects.reads = true;
const WRITES: Note = |effects| effects.writes = true;
const RUNS: Note = |effects| effects.runs = true;
const CONNECTS: Note = |effects| effects.connects = true;
const ASKS: Note = |effects| effects.asks = true;
const CUTS: Note = |effects| effects.cuts = true;

/// Beginnings of names, and what calling such a name means; the first that fits counts.
const NAMES: &[(&str, Note)] = &[
    ("readFile", READS),
    ("readdir", READS),
    ("createReadStream", READS),
    ("writeFile", WRITES),
    ("appendFile", WRITES),
    ("createWriteStream", WRITES),
    ("copyFile", WRITES),
    ("unlink", WRITES),
    ("rename", WRITES),
    ("mkdir", WRITES),
    ("rm", WRITES),
    ("exec", RUNS),
    ("spawn", RUNS),
    ("fork", RUNS),
    ("fetch", CONNECTS),
    ("confirm", ASKS),
    ("select", ASKS),
    ("input", ASKS),
    ("editor", ASKS),
    ("truncate", CUTS),
    ("slice", CUTS),
    ("substring", CUTS),
    ("subarray", CUTS),
];

/// Endings that such a name may have beside: `readFileSync`, `rmdir`, `execFile`.
const ENDINGS: [&str; 6] = ["", "Sync", "dir", "dirSync", "File", "FileSync"];

impl Effects {
    /// Tells what a function does, with all of the author's that it calls.
    pub(super) fn of(code: &Code, function: &FoundFunction) -> Self {
        let mut effects = Self::default();
        for one in code.reach(function) {
            effects.waits |= one.waits;
            for name in &one.calls {
                let row = NAMES.iter().find(|(start, _)| is_meant(name, start));
                if let Some((_, note)) = row {
                    note(&mut effects);
                }
            }
        }
        effects
    }

    /// Whether its result may be of any size.
    pub(super) fn takes_in_anything(self) -> bool {
        self.reads || self.runs || self.connects
    }
}

fn is_meant(name: &str, start: &str) -> bool {
    let rest = name.strip_prefix(start);
    rest.is_some_and(|rest| start == "truncate" || ENDINGS.contains(&rest))
}
