use std::fmt::Display;
use std::io;

/// Why an operation failed, as the script sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpError {
    /// The class of the error, if it is not a plain one.
    pub(crate) name: Option<&'static str>,
    pub(crate) message: String,
    /// Such as `ENOENT`.
    pub(crate) code: Option<String>,
    pub(crate) errno: Option<i32>,
}

/// Names of what the system says, as node has them.
const CODES: &[(i32, &str)] = &[
    (1, "EPERM"),
    (2, "ENOENT"),
    (3, "ESRCH"),
    (4, "EINTR"),
    (5, "EIO"),
    (7, "E2BIG"),
    (9, "EBADF"),
    (11, "EAGAIN"),
    (12, "ENOMEM"),
    (13, "EACCES"),
    (16, "EBUSY"),
    (17, "EEXIST"),
    (18, "EXDEV"),
    (20, "ENOTDIR"),
    (21, "EISDIR"),
    (22, "EINVAL"),
    (23, "ENFILE"),
    (24, "EMFILE"),
    (27, "EFBIG"),
    (28, "ENOSPC"),
    (30, "EROFS"),
    (31, "EMLINK"),
    (32, "EPIPE"),
    (36, "ENAMETOOLONG"),
    (39, "ENOTEMPTY"),
    (40, "ELOOP"),
];

impl OpError {
    pub(crate) fn failed(error: impl Display) -> Self {
        Self {
            name: None,
            message: error.to_string(),
            code: None,
            errno: None,
        }
    }

    pub(crate) fn unsupported(what: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self {
            name: Some("UnsupportedError"),
            ..Self::failed(format!(
                "'{what}' isn't supported by this host (deed {version})"
            ))
        }
    }

    pub(crate) fn denied(what: impl Display, reason: &str) -> Self {
        Self {
            // As node calls it where its own permissions deny something.
            code: Some("ERR_ACCESS_DENIED".to_owned()),
            ..Self::failed(format!("this extension isn't allowed to {what}: {reason}"))
        }
    }

    pub(crate) fn with_code(mut self, code: &str) -> Self {
        self.code = Some(code.to_owned());
        self.errno = CODES
            .iter()
            .find(|(_, name)| *name == code)
            .map(|(errno, _)| *errno);
        self
    }
}

/// Returns the kind of failure that node's name for it means.
pub(crate) fn code_kind(code: &str) -> io::ErrorKind {
    let row = CODES.iter().find(|(_, name)| *name == code);
    row.map_or(io::ErrorKind::Other, |(errno, _)| {
        io::Error::from_raw_os_error(*errno).kind()
    })
}

impl From<io::Error> for OpError {
    fn from(error: io::Error) -> Self {
        let errno = error.raw_os_error();
        let code = errno.and_then(|errno| CODES.iter().find(|(number, _)| *number == errno));
        let code = code.map(|(_, name)| *name).or(match error.kind() {
            io::ErrorKind::NotFound => Some("ENOENT"),
            io::ErrorKind::PermissionDenied => Some("EACCES"),
            io::ErrorKind::AlreadyExists => Some("EEXIST"),
            _ => None,
        });
        Self {
            code: code.map(str::to_owned),
            errno,
            ..Self::failed(error)
        }
    }
}
