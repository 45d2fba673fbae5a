use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

mod postgres_url;

pub(crate) use postgres_url::{Host, PostgresUrl, SslMode};

const MAX_NAME_CHARS: usize = 32;

/// Why a database cannot be configured; never shows what was given, which may hold a password.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DatabaseError {
    /// There is no `=`.
    #[error("a database is given as NAME=URL, such as shop=sqlite:shop.db")]
    NoName,
    /// The name is none.
    #[error(
        "the name of a database must be 1 to {MAX_NAME_CHARS} of the characters a-z, 0-9, _ and -"
    )]
    BadName,
    /// Nothing speaks that scheme.
    #[error(
        "the URL of database {name} has a scheme that is not supported; there are sqlite:PATH and \
         postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    )]
    UnknownScheme {
        /// Which database.
        name: String,
    },
    /// The rest of the URL is wrong.
    #[error("the URL of database {name} {reason}")]
    BadUrl {
        /// Which database.
        name: String,
        /// What is wrong, without any value of the URL.
        reason: &'static str,
    },
    /// A writer was given to a database that has no roles.
    #[error("database {name} is a file, which has no second role to write with")]
    NoWriter {
        /// Which database.
        name: String,
    },
}

/// What kind of SQL a database speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl Dialect {
    /// Returns the name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// A database that a person configured, under the name that a model knows it by.
///
/// Neither `Display` nor `Debug` shows a password.
#[derive(Clone)]
pub struct Database {
    name: Arc<str>,
    pub(crate) target: Target,
}

#[derive(Clone)]
pub(crate) enum Target {
    Sqlite(PathBuf),
    Postgres(Box<PostgresTarget>),
}

/// A server, and how it may be used.
#[derive(Clone)]
pub(crate) struct PostgresTarget {
    pub(crate) reader: PostgresUrl,
    pub(crate) writer: Option<PostgresUrl>,
    pub(crate) allow_privileged_role: bool,
}

impl Database {
    /// Reads `NAME=URL`.
    ///
    /// Shape: the URL is `sqlite:PATH` (a plain path, taken from `folder` if it is relative, without
    /// parameters; `sqlite:///PATH` works too) or
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&sslrootcert=PEM`. `sslmode` is
    /// `disable`, `prefer` (the default), `require` or `verify-full`; `host=/FOLDER` in the
    /// parameters names the folder of a Unix socket.
    ///
    /// Errors: what is wrong, without any part of the URL.
    pub fn parse(spec: &str, folder: &Path) -> Result<Self, DatabaseError> {
        let (name, url) = spec.split_once('=').ok_or(DatabaseError::NoName)?;
        if !is_name(name) {
            return Err(DatabaseError::BadName);
        }
        let target = if let Some(path) = url.strip_prefix("sqlite:") {
            let bad = |reason| DatabaseError::BadUrl {
                name: name.to_owned(),
                reason,
            };
            Target::Sqlite(sqlite_path(path, folder).map_err(bad)?)
        } else {
            Target::Postgres(Box::new(PostgresTarget {
                reader: postgres_url(name, url, folder)?,
                writer: None,
                allow_privileged_role: false,
            }))
        };
        Ok(Self {
            name: name.into(),
            target,
        })
    }

    /// Gives a PostgreSQL database another URL for approved writes, so that the first can be that of
    /// a role that may only read.
    ///
    /// Errors: as [`parse`](Self::parse); and a SQLite file has no writer.
    pub fn with_writer(mut self, url: &str, folder: &Path) -> Result<Self, DatabaseError> {
        match &mut self.target {
            Target::Postgres(target) => {
                target.writer = Some(postgres_url(&self.name, url, folder)?);
                Ok(self)
            }
            Target::Sqlite(_) => Err(DatabaseError::NoWriter {
                name: self.name.to_string(),
            }),
        }
    }

    /// Lets reads run under a PostgreSQL role that could reach files, programs or other sessions of
    /// the server. Writes never run under one.
    pub fn allow_privileged_role(mut self) -> Self {
        if let Target::Postgres(target) = &mut self.target {
            target.allow_privileged_role = true;
        }
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns what kind of SQL it speaks.
    pub fn dialect(&self) -> Dialect {
        match self.target {
            Target::Sqlite(_) => Dialect::Sqlite,
            Target::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Returns the passwords, in each form in which they were written or are sent.
    pub fn secrets(&self) -> Vec<String> {
        let Target::Postgres(target) = &self.target else {
            return Vec::new();
        };
        let urls = std::iter::once(&target.reader).chain(&target.writer);
        urls.flat_map(PostgresUrl::secrets).collect()
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, dialect) = (&self.name, self.dialect().as_str());
        match &self.target {
            Target::Sqlite(path) => write!(f, "{name} ({dialect} {})", path.display()),
            Target::Postgres(target) => write!(f, "{name} ({dialect} {})", target.reader),
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({self})")
    }
}

fn is_name(name: &str) -> bool {
    let is_fit = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_fit)
}

fn sqlite_path(path: &str, folder: &Path) -> Result<PathBuf, &'static str> {
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return Err("names no file");
    }
    if path.contains(['?', '#', '\0']) || path.starts_with("file:") {
        return Err("must be a plain path after sqlite:, without parameters");
    }
    if path.starts_with(':') {
        return Err("must name a file: what is in memory is not there at the next call");
    }
    Ok(folder.join(path))
}

fn postgres_url(name: &str, url: &str, folder: &Path) -> Result<PostgresUrl, DatabaseError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        let name = name.to_owned();
        return Err(DatabaseError::UnknownScheme { name });
    }
    PostgresUrl::parse(url, folder).map_err(|reason| DatabaseError::BadUrl {
        name: name.to_owned(),
        reason,
    })
}
