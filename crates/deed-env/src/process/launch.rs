//! From a [`ProcessSpec`] to a running child: checks, pipes, and errors that say what to do.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, MemfdFlags, OFlags};
use rustix::pipe::PipeFlags;
use rustix::process::Pid;

use super::environment::{set_variable, variable};
use super::family::MARKER_VARIABLE;
use super::{ProcessSpec, children, spawn};
use crate::EnvError;

/// Where programs are looked for if the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Smallest number a descriptor may have so that it cannot be one of 0, 1 and 2.
const ABOVE_STDERR: i32 = 3;

/// A child that runs, with the reading ends of its pipes (which do not block).
pub(super) struct Launched {
    pub(super) pid: Pid,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// The writing end of its input, if it is fed while it runs.
    pub(super) input: Option<OwnedFd>,
}

/// Starts the program and notes it among this process's own children.
///
/// Errors: [`EnvError::WorkingFolder`] and [`EnvError::Spawn`]; nothing was started then.
pub(super) fn launch(
    spec: &ProcessSpec,
    is_fed: bool,
    base: &[(OsString, OsString)],
    marker: &str,
) -> Result<Launched, EnvError> {
    let fail = |source| EnvError::Spawn {
        program: spec.program.display().to_string(),
        source,
    };
    let argv = argument_list(spec).map_err(fail)?;
    let variables = variables(spec, base, marker);
    let environment = environment_block(&variables).map_err(fail)?;
    let cwd = c_string(spec.cwd.as_os_str(), "the working folder").map_err(fail)?;
    check_folder(&spec.cwd)?;
    let program = locate(&spec.program, variable(&variables, "PATH")).map_err(fail)?;
    let program = c_string(program.as_os_str(), "the program").map_err(fail)?;
    let (stdin, input) = match is_fed {
        true => input_pipe().map_err(fail)?,
        false => (standard_input(&spec.stdin).map_err(fail)?, None),
    };
    let (stdout, stdout_writer) = output_pipe().map_err(fail)?;
    let (stderr, stderr_writer) = output_pipe().map_err(fail)?;
    let order = spawn::Launch {
        program: &program,
        argv: &argv,
        environment: &environment,
        cwd: &cwd,
        stdin: stdin.as_ref().map(AsFd::as_fd),
        stdout: stdout_writer.as_fd(),
        stderr: stderr_writer.as_fd(),
    };
    let pid = children::start(|| spawn::spawn(&order)).map_err(|error| {
        // The folder may have gone since it was looked at, and both are the same error.
        check_folder(&spec.cwd)
            .err()
            .unwrap_or_else(|| fail(with_advice(error)))
    })?;
    Ok(Launched {
        pid,
        stdout,
        stderr,
        input,
    })
}

/// Finds a program: one with a slash as it is, any other on the search path.
fn locate(program: &Path, path: Option<&OsStr>) -> io::Result<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return Ok(program.to_owned());
    }
    let path = path.unwrap_or_else(|| OsStr::new(DEFAULT_PATH));
    std::env::split_paths(path)
        // A relative folder would make the program depend on where a command runs.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| {
            candidate.is_file() && rustix::fs::access(candidate, Access::EXEC_OK).is_ok()
        })
        .ok_or_else(|| {
            let message = "no such program on the search path; install it or give its full path";
            io::Error::new(io::ErrorKind::NotFound, message)
        })
}

fn argument_list(spec: &ProcessSpec) -> io::Result<Vec<CString>> {
    let name = c_string(spec.program.as_os_str(), "the program");
    let arguments = spec.args.iter().enumerate();
    std::iter::once(name)
        .chain(arguments.map(|(index, text)| c_string(text, &format!("argument {}", index + 1))))
        .collect()
}

fn variables(
    spec: &ProcessSpec,
    base: &[(OsString, OsString)],
    marker: &str,
) -> Vec<(OsString, OsString)> {
    let mut all = base.to_vec();
    set_variable(&mut all, "PWD".into(), spec.cwd.clone().into_os_string());
    for (name, value) in &spec.env {
        set_variable(&mut all, name.clone(), value.clone());
    }
    // Markers pile up, so that whoever runs this process still finds what it started.
    let outer = variable(base, MARKER_VARIABLE).map(OsStr::to_owned);
    let mut marked = outer.map_or_else(OsString::new, |mut outer| {
        outer.push("/");
        outer
    });
    marked.push(marker);
    set_variable(&mut all, MARKER_VARIABLE.into(), marked);
    all
}

fn environment_block(variables: &[(OsString, OsString)]) -> io::Result<Vec<CString>> {
    let entry = |(name, value): &(OsString, OsString)| {
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            let message = format!("{} is no name of a variable", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut entry = name.clone();
        entry.push("=");
        entry.push(value);
        c_string(&entry, &format!("the variable {}", name.display()))
    };
    variables.iter().map(entry).collect()
}

fn c_string(text: &OsStr, what: &str) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|error| {
        let at = error.nul_position() + 1;
        let message = format!("{what} has a NUL byte (byte {at}); take it out");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })
}

fn check_folder(cwd: &Path) -> Result<(), EnvError> {
    let refuse = |problem: String| {
        Err(EnvError::WorkingFolder {
            path: cwd.to_owned(),
            problem,
        })
    };
    match std::fs::metadata(cwd) {
        Ok(metadata) if !metadata.is_dir() => refuse("is no folder".to_owned()),
        Ok(_) => match rustix::fs::access(cwd, Access::EXEC_OK) {
            Ok(()) => Ok(()),
            Err(error) => refuse(format!("cannot be entered: {error}")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            refuse("does not exist; make it or choose another".to_owned())
        }
        Err(error) => refuse(format!("cannot be looked at: {error}")),
    }
}

/// A file in memory: nobody has to feed it, and a child that does not read it breaks nothing.
fn standard_input(bytes: &[u8]) -> io::Result<Option<OwnedFd>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let mut file = File::from(rustix::fs::memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    above_stderr(file.into()).map(Some)
}

fn input_pipe() -> io::Result<(Option<OwnedFd>, Option<OwnedFd>)> {
    let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    Ok((Some(above_stderr(reader)?), Some(writer)))
}

fn output_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    rustix::fs::fcntl_setfl(&reader, OFlags::NONBLOCK)?;
    Ok((reader, above_stderr(writer)?))
}

/// A host that closed its own standard streams would give pipes their numbers.
fn above_stderr(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    if descriptor.as_raw_fd() >= ABOVE_STDERR {
        return Ok(descriptor);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(descriptor, ABOVE_STDERR)?)
}

fn with_advice(error: io::Error) -> io::Error {
    let advice = match error.raw_os_error() {
        Some(libc::ENOENT) => "no such file, or the interpreter named in its first line is missing",
        Some(libc::EACCES) => "permission denied; is it an executable file?",
        Some(libc::ENOEXEC) => "neither a program for this machine nor a script with a #! line",
        Some(libc::E2BIG) => {
            "arguments and variables are too long for the system; write the long text to a file \
             and pass its path"
        }
        Some(libc::ETXTBSY) => {
            "its file is open for writing; try again when whoever writes it is done"
        }
        Some(libc::EAGAIN) => "the system's limit of processes is reached; end some and try again",
        _ => return error,
    };
    io::Error::new(error.kind(), advice)
}
