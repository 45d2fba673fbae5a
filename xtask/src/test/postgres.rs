//! A PostgreSQL server for the tests: on loopback, in a scratch folder, of the machine's own programs.

use super::need::{answers, install_debian};
use super::suite::Run;
use anyhow::{Context as _, Result, bail, ensure};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Names the server for the tests: the URL of a superuser, with which they make what they need.
pub(crate) const VARIABLE: &str = "DEED_TEST_POSTGRES";

/// Where Debian puts the programs, a folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
const PACKAGE: &str = "postgresql";
const START_LIMIT: Duration = Duration::from_secs(60);

/// A running server; dropping it stops it and removes its files.
#[derive(Debug)]
pub(crate) struct Postgres {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Postgres {
    /// Starts a server, installing it where that is allowed; `None` if the machine has none.
    ///
    /// Errors: it does not start; under CI, there is none.
    pub(crate) fn start(run: &Run) -> Result<Option<Self>> {
        if run.is_ci && programs().is_none() {
            install_debian(&[PACKAGE]);
        }
        match programs() {
            Some(programs) => Self::start_in(&programs).map(Some),
            None if run.is_ci => {
                bail!(
                    "PostgreSQL is not on this machine; install it (Debian: apt-get install {PACKAGE})"
                )
            }
            None => Ok(None),
        }
    }

    fn start_in(programs: &Path) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("deed-postgres-{}", std::process::id()));
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let started = Self::launch(programs, &folder);
        if started.is_err() {
            std::fs::remove_dir_all(&folder).ok();
        }
        started
    }

    fn launch(programs: &Path, folder: &Path) -> Result<Self> {
        let owner = owner()?;
        if let Some((user, group)) = owner {
            chown(folder, Some(user), Some(group))?;
        }
        let data = folder.join("data");
        let made = as_owner(&programs.join("initdb"), owner)
            .current_dir(folder)
            .args([
                "--auth=trust",
                "--username=deed",
                "--encoding=UTF8",
                "--locale=C",
            ])
            .args(["--no-sync", "-D"])
            .arg(&data)
            .output()
            .context("cannot start initdb")?;
        ensure!(
            made.status.success(),
            "initdb: {}",
            String::from_utf8_lossy(&made.stderr).trim()
        );
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = std::fs::File::create(folder.join("log"))?;
        let child = as_owner(&programs.join("postgres"), owner)
            .current_dir(folder)
            .arg("-D")
            .arg(&data)
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"])
            .args(["-c", "max_connections=200", "-p", &port.to_string()])
            .arg("-c")
            .arg(format!("unix_socket_directories={}", folder.display()))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .context("cannot start postgres")?;
        let mut server = Self {
            child,
            folder: folder.to_owned(),
            port,
        };
        server.wait_until_ready(&programs.join("pg_isready"))?;
        Ok(server)
    }

    fn wait_until_ready(&mut self, probe: &Path) -> Result<()> {
        let began = Instant::now();
        let port = self.port.to_string();
        while !answers(
            &probe.display().to_string(),
            &["-q", "-h", "127.0.0.1", "-p", &port],
        ) {
            let ended = self.child.try_wait()?;
            if ended.is_some() || began.elapsed() > START_LIMIT {
                let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                bail!("PostgreSQL did not start: {}", log.trim());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// The URL that tests find under [`VARIABLE`].
    pub(crate) fn url(&self) -> String {
        format!("postgres://deed@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGQUIT: at once, without writing what nobody reads again.
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-QUIT", &pid]).status().ok();
        self.child.wait().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// The folder of the newest server there is.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_all = |folder: &PathBuf| {
        let needed = ["initdb", "postgres", "pg_isready"];
        needed.iter().all(|program| folder.join(program).is_file())
    };
    let mut found: Vec<PathBuf> = std::env::split_paths(&path)
        .chain(debian)
        .filter(has_all)
        .collect();
    found.sort();
    found.pop()
}

/// Whom the server runs as, if we are root, which it refuses to run as.
fn owner() -> Result<Option<(u32, u32)>> {
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    for name in ["postgres", "nobody"] {
        if let (Ok(user), Ok(group)) = (id(&["-u", name]), id(&["-g", name])) {
            return Ok(Some((user, group)));
        }
    }
    bail!("there is no user postgres or nobody to run PostgreSQL as")
}

fn id(arguments: &[&str]) -> Result<u32> {
    let output = Command::new("id").args(arguments).output()?;
    ensure!(output.status.success(), "id {arguments:?} failed");
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

fn as_owner(program: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).env("LC_ALL", "C");
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_was_dropped_is_gone_with_its_files() {
        let Some(programs) = programs() else {
            assert!(
                !std::env::var("CI").is_ok_and(|ci| ci == "true"),
                "no PostgreSQL"
            );
            return;
        };
        let server = Postgres::start_in(&programs).unwrap();
        let (folder, port) = (server.folder.clone(), server.port);
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        drop(server);
        assert!(!folder.exists());
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    }
}
