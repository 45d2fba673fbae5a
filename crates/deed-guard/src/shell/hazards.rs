//! Options that let a command run or write what its name does not promise.

mod sed;

use super::tokens::base_name;

/// The dangerous words of one command.
struct Hazards {
    command: &'static str,
    /// How a word is dangerous.
    signs: &'static [Sign],
}

enum Sign {
    /// A long option, also shortened or with a value.
    Long(&'static str),
    /// A single letter behind one dash, also among others.
    Letter(char),
    /// Exactly this word.
    Word(&'static str),
    /// Every word that begins so.
    Begin(&'static str),
    /// An option before the subcommand, with its value or without.
    Global(&'static str),
    /// Every use of the command.
    Always,
}

use Sign::{Always, Begin, Global, Letter, Long, Word};

const TABLE: &[Hazards] = &[
    Hazards {
        command: "git",
        signs: &[
            Global("-c"),
            Global("-C"),
            Global("--config-env"),
            Global("--exec-path"),
            Global("--git-dir"),
            Global("--work-tree"),
            Long("--config"),
            Long("--exec"),
            Long("--ext-diff"),
            Long("--open-files-in-pager"),
            Long("--receive-pack"),
            Long("--template"),
            Long("--textconv"),
            Long("--upload-pack"),
            Begin("-O"),
            Word("-x"),
            Word("difftool"),
            Word("filter-branch"),
            Word("foreach"),
            Word("mergetool"),
        ],
    },
    Hazards {
        command: "find",
        signs: &[
            Word("-delete"),
            Word("-exec"),
            Word("-execdir"),
            Word("-fls"),
            Word("-fprint"),
            Word("-fprint0"),
            Word("-fprintf"),
            Word("-ok"),
            Word("-okdir"),
        ],
    },
    Hazards {
        command: "fd",
        signs: &[
            Long("--exec"),
            Long("--exec-batch"),
            Letter('x'),
            Letter('X'),
        ],
    },
    Hazards {
        command: "rg",
        signs: &[
            Long("--hostname-bin"),
            Long("--pre"),
            Long("--search-zip"),
            Letter('z'),
        ],
    },
    Hazards {
        command: "sort",
        signs: &[Long("--compress-program"), Letter('o')],
    },
    Hazards {
        command: "tar",
        signs: &[
            Long("--checkpoint-action"),
            Long("--info-script"),
            Long("--new-volume-script"),
            Long("--rmt-command"),
            Long("--rsh-command"),
            Long("--to-command"),
            Long("--use-compress-program"),
            Letter('F'),
            Letter('I'),
        ],
    },
    Hazards {
        command: "curl",
        signs: &[
            Long("--config"),
            Long("--remote-name"),
            Long("--upload-file"),
            Letter('K'),
            Letter('O'),
            Letter('T'),
            Letter('o'),
        ],
    },
    Hazards {
        command: "awk",
        signs: &[Always],
    },
    Hazards {
        command: "gawk",
        signs: &[Always],
    },
    Hazards {
        command: "mawk",
        signs: &[Always],
    },
    Hazards {
        command: "tee",
        signs: &[Always],
    },
    Hazards {
        command: "printf",
        signs: &[Begin("-v")],
    },
    Hazards {
        command: "test",
        signs: &[Word("-v"), Word("-R")],
    },
    Hazards {
        command: "[",
        signs: &[Word("-v"), Word("-R")],
    },
    Hazards {
        command: "jobs",
        signs: &[Letter('x')],
    },
    Hazards {
        command: "compgen",
        signs: &[Always],
    },
    Hazards {
        command: "hash",
        signs: &[Letter('p')],
    },
    Hazards {
        command: "history",
        signs: &[Always],
    },
    Hazards {
        command: "let",
        signs: &[Always],
    },
    Hazards {
        command: "mapfile",
        signs: &[Always],
    },
    Hazards {
        command: "read",
        signs: &[Always],
    },
    Hazards {
        command: "readarray",
        signs: &[Always],
    },
    Hazards {
        command: "unset",
        signs: &[Always],
    },
    Hazards {
        command: "wait",
        signs: &[Letter('p')],
    },
    Hazards {
        command: "rsync",
        signs: &[Letter('e'), Long("--rsh"), Long("--rsync-path")],
    },
    Hazards {
        command: "scp",
        signs: &[Letter('S'), Letter('o')],
    },
    Hazards {
        command: "split",
        signs: &[Long("--filter")],
    },
    Hazards {
        command: "wget",
        signs: &[
            Long("--config"),
            Long("--execute"),
            Long("--input-file"),
            Long("--output-document"),
            Long("--output-file"),
            Long("--post-file"),
            Long("--use-askpass"),
            Letter('O'),
            Letter('e'),
            Letter('i'),
            Letter('o'),
        ],
    },
    Hazards {
        command: "less",
        signs: &[Letter('o'), Letter('O'), Long("--log-file")],
    },
];

/// What every command may be told: to write its output to a file.
const OF_ALL: &[Sign] = &[Long("--output"), Begin("--output")];

/// Names the hazards of a command, each with the command it belongs to.
pub(super) fn hazards_of(argv: &[String]) -> Vec<String> {
    let Some((name, words)) = argv.split_first() else {
        return Vec::new();
    };
    let name = base_name(name);
    if name == "sed" {
        return sed::hazards_of(words);
    }
    let row = TABLE.iter().find(|row| row.command == name);
    let signs = row.map_or(&[][..], |row| row.signs);
    if signs.iter().any(|sign| matches!(sign, Always)) {
        return vec![name.to_owned()];
    }
    // Where options come first, it is not known which of them take a value and where they end.
    let may_be_global = words.first().is_some_and(|word| word.starts_with('-'));
    let signs = signs.iter().chain(OF_ALL);
    let dangerous = words
        .iter()
        .filter(|word| signs.clone().any(|sign| sign.is_in(word, may_be_global)));
    dangerous
        .map(|word| format!("{name} {}", option_name(word)))
        .collect()
}

impl Sign {
    fn is_in(&self, word: &str, may_be_global: bool) -> bool {
        let name = option_name(word);
        match self {
            Always => true,
            Word(sign) => word == *sign,
            Begin(sign) => word.starts_with(sign),
            Global(sign) => may_be_global && name == *sign,
            Long(sign) => {
                name == *sign || name.len() > 3 && name.starts_with("--") && sign.starts_with(name)
            }
            Letter(letter) => {
                let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                letters.is_some_and(|letters| letters.contains(*letter))
            }
        }
    }
}

fn option_name(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}
