//! Commands that start other commands.

use super::tokens::base_name;

/// What a wrapper starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starts {
    /// The words behind its options, assignments and this many operands.
    WordsAfter(usize),
    /// The same, joined with blanks and read by a shell.
    ScriptAfter(usize),
    /// The operand of `-c`, read by a shell; without `-c` a file of commands.
    OperandOfC,
    /// The words behind `-exec` and its like; nothing without them.
    WordsAfterExec,
    /// What cannot be told from the words.
    Anything,
}

use Starts::{Anything, OperandOfC, ScriptAfter, WordsAfter, WordsAfterExec};

/// Every wrapper by name.
const WRAPPERS: &[(&str, Starts)] = &[
    ("builtin", WordsAfter(0)),
    ("busybox", WordsAfter(0)),
    ("caffeinate", WordsAfter(0)),
    ("chronic", WordsAfter(0)),
    ("command", WordsAfter(0)),
    ("coproc", WordsAfter(0)),
    ("doas", WordsAfter(0)),
    ("env", WordsAfter(0)),
    ("exec", WordsAfter(0)),
    ("fakeroot", WordsAfter(0)),
    ("ionice", WordsAfter(0)),
    ("nice", WordsAfter(0)),
    ("nohup", WordsAfter(0)),
    ("nsenter", WordsAfter(0)),
    ("pkexec", WordsAfter(0)),
    ("rlwrap", WordsAfter(0)),
    ("setpriv", WordsAfter(0)),
    ("setsid", WordsAfter(0)),
    ("stdbuf", WordsAfter(0)),
    ("strace", WordsAfter(0)),
    ("sudo", WordsAfter(0)),
    ("systemd-run", WordsAfter(0)),
    ("time", WordsAfter(0)),
    ("unbuffer", WordsAfter(0)),
    ("unshare", WordsAfter(0)),
    ("xargs", WordsAfter(0)),
    ("xvfb-run", WordsAfter(0)),
    ("chroot", WordsAfter(1)),
    ("chrt", WordsAfter(1)),
    ("flock", WordsAfter(1)),
    ("taskset", WordsAfter(1)),
    ("timeout", WordsAfter(1)),
    ("eval", ScriptAfter(0)),
    ("watch", ScriptAfter(0)),
    ("ssh", ScriptAfter(1)),
    ("ash", OperandOfC),
    ("bash", OperandOfC),
    ("dash", OperandOfC),
    ("fish", OperandOfC),
    ("ksh", OperandOfC),
    ("rbash", OperandOfC),
    ("runuser", OperandOfC),
    ("script", OperandOfC),
    ("sh", OperandOfC),
    ("su", OperandOfC),
    ("zsh", OperandOfC),
    ("find", WordsAfterExec),
    (".", Anything),
    ("alias", Anything),
    ("bun", Anything),
    ("deno", Anything),
    ("docker", Anything),
    ("ed", Anything),
    ("emacs", Anything),
    ("enable", Anything),
    ("entr", Anything),
    ("ex", Anything),
    ("export", Anything),
    ("gdb", Anything),
    ("kubectl", Anything),
    ("lua", Anything),
    ("mysql", Anything),
    ("node", Anything),
    ("npx", Anything),
    ("nvim", Anything),
    ("osascript", Anything),
    ("parallel", Anything),
    ("perl", Anything),
    ("php", Anything),
    ("podman", Anything),
    ("psql", Anything),
    ("pwsh", Anything),
    ("python", Anything),
    ("ruby", Anything),
    ("set", Anything),
    ("source", Anything),
    ("sqlite3", Anything),
    ("tclsh", Anything),
    ("trap", Anything),
    ("uvx", Anything),
    ("vi", Anything),
    ("vim", Anything),
];

/// Finds a wrapper by the first word of a command, with its folder or version or without.
pub(super) fn wrapper(word: &str) -> Option<(&'static str, Starts)> {
    let name = base_name(word);
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let find = |name: &str| WRAPPERS.iter().find(|(known, _)| *known == name).copied();
    find(name).or_else(|| find(unversioned))
}
