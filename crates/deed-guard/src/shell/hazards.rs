//! Options that let a command run or write what its name does not promise.

mod sed;
mod table;

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
    /// Every word that begins so, behind this subcommand.
    After(&'static str, &'static str),
    /// Every use of the command.
    Always,
}

use Sign::{After, Always, Begin, Global, Letter, Long, Word};
use table::TABLE;

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
    let dangerous = words.iter().filter(|word| {
        signs
            .clone()
            .any(|sign| sign.is_in(word, words, may_be_global))
    });
    dangerous
        .map(|word| format!("{name} {}", option_name(word)))
        .collect()
}

impl Sign {
    fn is_in(&self, word: &str, words: &[String], may_be_global: bool) -> bool {
        let name = option_name(word);
        match self {
            Always => true,
            Word(sign) => word == *sign,
            Begin(sign) => word.starts_with(sign),
            After(subcommand, sign) => {
                word.starts_with(sign) && words.iter().any(|word| word == subcommand)
            }
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
