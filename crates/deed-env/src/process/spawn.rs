//! Starting a process through `posix_spawn`.
#![expect(
    unsafe_code,
    reason = "posix_spawn with its session flag and a working folder has no safe wrapper, and a \
              pre_exec closure forks the host, which costs 14 ms at 500 MB"
)]

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

use libc::{c_char, c_int, c_short};
use rustix::process::Pid;

/// Signals that a host may ignore or a shell may have ignored for it, and that every program
/// expects in their default state. Rust itself ignores `SIGPIPE`.
const RESET_SIGNALS: &[c_int] = &[
    libc::SIGPIPE,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGCHLD,
];

/// Everything that one start needs, ready for the system.
pub(super) struct Launch<'a> {
    /// The file to run; a relative one counts from `cwd`.
    pub(super) program: &'a CStr,
    /// The arguments with the program's name in front.
    pub(super) argv: &'a [CString],
    /// `NAME=value` each.
    pub(super) environment: &'a [CString],
    /// Where it runs.
    pub(super) cwd: &'a CStr,
    /// What it reads; `None` for `/dev/null`.
    pub(super) stdin: Option<BorrowedFd<'a>>,
    /// Where it writes; numbered above 2, as is `stderr`.
    pub(super) stdout: BorrowedFd<'a>,
    /// Where it writes its errors.
    pub(super) stderr: BorrowedFd<'a>,
}

/// Starts a process in a session of its own, with no other descriptor than 0, 1 and 2.
///
/// Errors: as `exec` reports them; a working folder that is missing is `ENOENT` too.
pub(super) fn spawn(launch: &Launch<'_>) -> io::Result<Pid> {
    let mut actions = FileActions::new()?;
    match launch.stdin {
        Some(stdin) => actions.dup2(stdin, libc::STDIN_FILENO)?,
        None => actions.open_null(libc::STDIN_FILENO)?,
    }
    actions.dup2(launch.stdout, libc::STDOUT_FILENO)?;
    actions.dup2(launch.stderr, libc::STDERR_FILENO)?;
    actions.close_above_stderr()?;
    actions.chdir(launch.cwd)?;
    let attributes = Attributes::new()?;
    let argv = pointers(launch.argv);
    let environment = pointers(launch.environment);
    let mut pid: libc::pid_t = 0;
    // SAFETY: all pointers are to live objects that outlast the call; both arrays hold pointers to
    // NUL-terminated strings and end in a null pointer; the system does not write through them.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            launch.program.as_ptr(),
            &raw const *actions.0,
            &raw const *attributes.0,
            argv.as_ptr(),
            environment.as_ptr(),
        )
    })?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the system gave no process number"))
}

fn pointers(strings: &[CString]) -> Vec<*mut c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr().cast_mut())
        .chain([ptr::null_mut()])
        .collect()
}

fn check(code: c_int) -> io::Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code))
    }
}

/// Initialised file actions; boxed because the standard does not let them move.
struct FileActions(Box<libc::posix_spawn_file_actions_t>);

impl FileActions {
    fn new() -> io::Result<Self> {
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: `raw` is writable memory of the right type.
        check(unsafe { libc::posix_spawn_file_actions_init(raw.as_mut_ptr()) })?;
        // SAFETY: the call above succeeded, so the object is initialised.
        Ok(Self(unsafe { raw.assume_init() }))
    }

    fn dup2(&mut self, from: BorrowedFd<'_>, to: c_int) -> io::Result<()> {
        // SAFETY: the object is initialised; the descriptor is open while it is borrowed, and the
        // caller of `spawn` borrows it until the child runs.
        check(unsafe {
            libc::posix_spawn_file_actions_adddup2(&raw mut *self.0, from.as_raw_fd(), to)
        })
    }

    fn open_null(&mut self, to: c_int) -> io::Result<()> {
        // SAFETY: the object is initialised and the path is a static NUL-terminated string.
        check(unsafe {
            libc::posix_spawn_file_actions_addopen(
                &raw mut *self.0,
                to,
                c"/dev/null".as_ptr(),
                libc::O_RDONLY,
                0,
            )
        })
    }

    /// Elsewhere than on glibc nothing does this; there the descriptors of this process close
    /// because Rust opens them all with `O_CLOEXEC`.
    #[cfg(target_env = "gnu")]
    fn close_above_stderr(&mut self) -> io::Result<()> {
        // SAFETY: the object is initialised.
        check(unsafe {
            libc::posix_spawn_file_actions_addclosefrom_np(
                &raw mut *self.0,
                libc::STDERR_FILENO + 1,
            )
        })
    }

    #[cfg(not(target_env = "gnu"))]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "one signature for every C library"
    )]
    fn close_above_stderr(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn chdir(&mut self, folder: &CStr) -> io::Result<()> {
        // SAFETY: the object is initialised and the system copies the string.
        check(unsafe {
            libc::posix_spawn_file_actions_addchdir_np(&raw mut *self.0, folder.as_ptr())
        })
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: the object is initialised and not used afterwards.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut *self.0) };
    }
}

/// Initialised attributes: own session, no blocked signal, the usual ones reset.
struct Attributes(Box<libc::posix_spawnattr_t>);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut raw = Box::new(MaybeUninit::uninit());
        // SAFETY: `raw` is writable memory of the right type.
        check(unsafe { libc::posix_spawnattr_init(raw.as_mut_ptr()) })?;
        // SAFETY: the call above succeeded, so the object is initialised.
        let mut attributes = Self(unsafe { raw.assume_init() });
        attributes.set_flags()?;
        attributes.set_signals()?;
        Ok(attributes)
    }

    fn set_flags(&mut self) -> io::Result<()> {
        let signals = libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;
        let flags =
            c_short::try_from(signals).map_err(io::Error::other)? | libc::POSIX_SPAWN_SETSID;
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawnattr_setflags(&raw mut *self.0, flags) })
    }

    fn set_signals(&mut self) -> io::Result<()> {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `sigemptyset` initialises the set that it is given and cannot fail on a valid
        // pointer; the signal numbers are valid; the attributes are initialised.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(
                &raw mut *self.0,
                set.as_ptr(),
            ))?;
            for signal in RESET_SIGNALS {
                libc::sigaddset(set.as_mut_ptr(), *signal);
            }
            check(libc::posix_spawnattr_setsigdefault(
                &raw mut *self.0,
                set.as_ptr(),
            ))
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the object is initialised and not used afterwards.
        unsafe { libc::posix_spawnattr_destroy(&raw mut *self.0) };
    }
}
