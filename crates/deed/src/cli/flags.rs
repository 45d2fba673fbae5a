use std::ffi::{OsStr, OsString};

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use deed_extensions::FlagValue;

use super::{Cli, ExtensionFlags};

/// Reads the command line; long options that are not known may be flags of extensions: `--name`, or
/// `--name=TEXT`.
///
/// Errors: the first thing that is wrong, as if there were no extensions.
pub(super) fn parsed(mut args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut flags = ExtensionFlags::default();
    let mut first = None;
    loop {
        let error = match Cli::try_parse_from(&args) {
            Ok(mut cli) => {
                return match (first, &cli.command) {
                    // Only a run has extensions.
                    (Some(error), Some(_)) => Err(error),
                    _ => {
                        cli.run.extensions.flags = flags;
                        Ok(cli)
                    }
                };
            }
            Err(error) => error,
        };
        let flag = unknown(&error).and_then(|name| take(&mut args, &name));
        let Some(flag) = flag else {
            return Err(first.unwrap_or(error));
        };
        flags.given.push(flag);
        if flags.complaint.is_empty() {
            flags.complaint = error.render().to_string();
        }
        first = first.or(Some(error));
    }
}

/// Returns the long option that is not known.
fn unknown(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    let name = name.strip_prefix("--").filter(|_| is_unknown)?;
    let name = name.split('=').next().unwrap_or_default();
    Some(name.to_owned()).filter(|name| !name.is_empty())
}

/// Takes a flag out of the arguments.
fn take(args: &mut Vec<OsString>, name: &str) -> Option<(String, FlagValue)> {
    let ends = args
        .iter()
        .position(|arg| arg == "--")
        .unwrap_or(args.len());
    let before = args.iter().take(ends);
    let value_of = |arg: &OsStr| -> Option<FlagValue> {
        let rest = arg.to_str()?.strip_prefix("--")?.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            Some(text) => Some(FlagValue::Text(text.to_owned())),
            None => rest.is_empty().then_some(FlagValue::Switch(true)),
        }
    };
    let mut found = before.enumerate();
    let (at, value) = found.find_map(|(at, arg)| Some((at, value_of(arg)?)))?;
    args.remove(at);
    Some((name.to_owned(), value))
}
