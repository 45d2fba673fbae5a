use std::fmt;
use std::path::Path;

/// Something outside of the engine that an extension wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access<'a> {
    /// Read a file or folder, or learn that it is there.
    Read(&'a Path),
    /// Write, make, move or remove a file or folder.
    Write(&'a Path),
    /// Run a program or a command line.
    Run(&'a str),
    /// Talk to a host.
    Connect(&'a str),
    /// Run a statement on a database, by the name that it was configured under.
    Database(&'a str),
    /// Know a variable of the environment.
    Variable(&'a str),
}

impl fmt::Display for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path) => write!(f, "read {}", path.display()),
            Self::Write(path) => write!(f, "write {}", path.display()),
            Self::Run(command) => write!(f, "run `{command}`"),
            Self::Connect(host) => write!(f, "connect to {host}"),
            Self::Database(name) => write!(f, "use the database {name}"),
            Self::Variable(name) => write!(f, "know the variable {name}"),
        }
    }
}

/// What an extension may do outside of its engine; asked before each operation.
pub trait Permissions: Send + Sync + 'static {
    /// Decides whether it may.
    ///
    /// Errors: it may not; the text says why and what to do.
    fn check(&self, access: &Access<'_>) -> Result<(), String>;
}

/// It may do everything that the program itself may.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Permissions for AllowAll {
    fn check(&self, _: &Access<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// It may do nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowNothing;

impl Permissions for AllowNothing {
    fn check(&self, _: &Access<'_>) -> Result<(), String> {
        Err("nothing is granted to it".to_owned())
    }
}
