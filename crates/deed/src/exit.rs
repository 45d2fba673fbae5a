use std::io::Write;
use std::process::ExitCode;

/// How a command came to its end, and so the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything was done.
    Done,
    /// A result was an error and `--fail-on-error` was given, or the run failed.
    Failed,
    /// The input or the arguments were wrong.
    Usage,
    /// Something that the run needed was refused.
    Refused,
    /// A signal ended it.
    Signal(u8),
    /// Nobody reads the output any more.
    ClosedPipe,
}

impl Ending {
    fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Signal(number) => 128_u8.saturating_add(number),
            // What a shell reports of a program that SIGPIPE ended.
            Self::ClosedPipe => 141,
        }
    }
}

/// Prints what went wrong, if anything did, and gives the exit code.
pub(crate) fn code(ended: anyhow::Result<Ending>) -> ExitCode {
    let ending = ended.unwrap_or_else(|error| {
        complain(&format!("{error:#}"));
        Ending::Failed
    });
    ExitCode::from(ending.code())
}

/// Prints one message to standard error.
pub(crate) fn complain(message: &str) {
    // If standard error is gone, nobody can be told.
    writeln!(std::io::stderr().lock(), "deed: {message}").ok();
}
