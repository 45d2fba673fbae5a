//! The variables of a command.

use std::ffi::{OsStr, OsString};

/// Variables that would make a command run code of somebody else's choice before its own.
const INJECTING: &[&str] = &["BASH_ENV", "ENV"];
const INJECTING_PREFIXES: &[&str] = &["LD_", "DYLD_"];

/// Git runs this through a shell. An editor that opened would wait for a person who is not there;
/// one that quietly succeeded would commit a message nobody wrote. So it fails and says why.
const NO_GIT_EDITOR: &str = "echo 'no editor here: give the text as an argument (-m, -F, --no-edit) or set GIT_EDITOR for this command' >&2; false";

/// What makes programs that would ask or page do neither.
const NON_INTERACTIVE: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", NO_GIT_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_GIT_EDITOR),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
];

/// Computes the variables that every command gets from those that the configuration hands in.
///
/// Left out are the `withheld` names (secrets that the host holds), and `BASH_ENV`, `ENV`, `LD_*`
/// and `DYLD_*`, which would run code before the command. Pagers are set to `cat`, git does not
/// prompt, and an editor that a command opens fails at once. A command may still set any of them
/// for itself.
///
/// Shape: order kept, a name appears once, the defaults come last.
#[must_use]
pub fn command_environment<I>(handed_in: I, withheld: &[OsString]) -> Vec<(OsString, OsString)>
where
    I: IntoIterator<Item = (OsString, OsString)>,
{
    let mut variables = Vec::new();
    let defaults = NON_INTERACTIVE
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    let kept = handed_in
        .into_iter()
        .filter(|(name, _)| !withheld.contains(name) && !is_injecting(name));
    for (name, value) in kept.chain(defaults) {
        set_variable(&mut variables, name, value);
    }
    variables
}

/// Sets a variable, replacing one of that name.
pub(super) fn set_variable(
    variables: &mut Vec<(OsString, OsString)>,
    name: OsString,
    value: OsString,
) {
    variables.retain(|(present, _)| *present != name);
    variables.push((name, value));
}

/// Looks a variable up.
pub(super) fn variable<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables
        .iter()
        .find(|(present, _)| present == name)
        .map(|(_, value)| value.as_os_str())
}

fn is_injecting(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    INJECTING.iter().any(|injecting| name == *injecting)
        || INJECTING_PREFIXES
            .iter()
            .any(|prefix| bytes.starts_with(prefix.as_bytes()))
}
