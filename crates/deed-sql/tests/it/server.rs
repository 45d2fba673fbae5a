//! A PostgreSQL server for tests: that of `DEED_TEST_POSTGRES`, or one that is started here.
//!
//! `DEED_TEST_POSTGRES` is the URL of a superuser of a scratch server, who may make databases and roles.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

const VARIABLE: &str = "DEED_TEST_POSTGRES";

/// A server with a database of its own for one test.
pub(crate) struct Server {
    admin: String,
    /// The database, and what the names of its roles begin with.
    pub(crate) name: String,
    own: Option<Own>,
}

/// A server that ends with the test.
struct Own {
    folder: TempDir,
    programs: PathBuf,
    user: Option<(u32, u32)>,
    port: u16,
}

impl Server {
    /// Finds or starts a server; `None` where there is none and none is asked for.
    pub(crate) async fn get() -> Option<Self> {
        match std::env::var(VARIABLE) {
            Ok(admin) => Some(Self::with(admin, None).await),
            Err(_) => Self::start().await,
        }
    }

    /// Starts a server that speaks TLS too.
    pub(crate) async fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            let text =
                format!("no PostgreSQL server: set {VARIABLE}, or install initdb and pg_ctl");
            assert!(std::env::var_os("CI").is_none(), "{text}");
            eprintln!("left out: {text}");
            return None;
        };
        let own = Own::start(programs);
        Some(Self::with(own.url("super", "postgres"), Some(own)).await)
    }

    async fn with(admin: String, own: Option<Own>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("deed_{}_{count}", std::process::id());
        let server = Self { admin, name, own };
        let make = format!("CREATE DATABASE {}", server.name);
        connect(&server.admin)
            .await
            .batch_execute(&make)
            .await
            .unwrap();
        server
    }

    /// Connects as the superuser.
    pub(crate) async fn admin(&self) -> Client {
        connect(&self.url(None)).await
    }

    /// Makes what the statements of `cases.json` speak of, and the roles `_ro` and `_rw`.
    pub(crate) async fn fill(&self) {
        let fixture = include_str!("fixture.sql").replace("NAME", &self.name);
        self.admin().await.batch_execute(&fixture).await.unwrap();
    }

    /// Returns the name of a role of this test.
    pub(crate) fn role(&self, name: &str) -> String {
        format!("{}_{name}", self.name)
    }

    /// Returns the URL for a role of this test.
    pub(crate) fn url_of(&self, name: &str) -> String {
        self.url(Some(&self.role(name)))
    }

    /// Describes all that a statement could have changed.
    pub(crate) async fn state(&self, admin: &Client) -> String {
        let question = "SELECT concat_ws(' ', (SELECT md5(string_agg(t::text, ',' ORDER BY id, note)) FROM t),
            (SELECT count(*) FROM wlog), (SELECT last_value || is_called::text FROM seq),
            (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc),
            (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_replication_slots),
            (SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
                WHERE locktype = 'advisory' AND datname = current_database()),
            (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()), (SELECT relacl FROM pg_class WHERE oid = 't'::regclass))";
        admin.query_one(question, &[]).await.unwrap().get(0)
    }

    /// Returns the URL of the database for a role, or for the superuser.
    pub(crate) fn url(&self, role: Option<&str>) -> String {
        let (before, behind) = self.admin.split_once("://").unwrap();
        let (place, parameters) = behind.split_once('?').unwrap_or((behind, ""));
        let (user, host) = place.split_once('@').unwrap();
        let host = host.split('/').next().unwrap();
        let user = role.unwrap_or(user);
        format!("{before}://{user}@{host}/{}?{parameters}", self.name)
    }

    /// Returns the port on the loopback of a server that was started here.
    pub(crate) fn tcp_port(&self) -> Option<u16> {
        self.own.as_ref().map(|own| own.port)
    }

    /// Drops the database and the roles that were made with its name.
    pub(crate) async fn end(self) {
        if self.own.is_some() {
            return;
        }
        let admin = connect(&self.admin).await;
        let name = &self.name;
        admin
            .batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
            .await
            .unwrap();
        let pattern = format!("^{name}_");
        let roles = admin
            .query(
                "SELECT rolname::text FROM pg_roles WHERE rolname ~ $1",
                &[&pattern],
            )
            .await
            .unwrap();
        for role in roles {
            let role: String = role.get(0);
            admin
                .batch_execute(&format!("DROP ROLE {role}"))
                .await
                .unwrap();
        }
    }
}

pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

impl Own {
    fn start(programs: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = Self {
            user: other_user(),
            port: free_port(),
            folder,
            programs,
        };
        own.give(own.folder.path(), 0o700);
        own.run(
            "initdb",
            &["-U", "super", "--auth=trust", "-E", "UTF8", "--no-sync"],
        );
        for (name, content) in [
            ("server.pem", include_str!("tls/server.pem")),
            ("server.key", include_str!("tls/server.key")),
        ] {
            let path = own.data().join(name);
            std::fs::write(&path, content).unwrap();
            own.give(&path, 0o600);
        }
        let settings = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on -c \
             ssl_cert_file=server.pem -c ssl_key_file=server.key",
            own.port,
            own.folder.path().display()
        );
        let log = own.folder.path().join("log");
        own.run(
            "pg_ctl",
            &["start", "-w", "-o", &settings, "-l", log.to_str().unwrap()],
        );
        own
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn url(&self, user: &str, database: &str) -> String {
        let folder = self.folder.path().display();
        format!(
            "postgres://{user}@/{database}?host={folder}&port={}",
            self.port
        )
    }

    /// Gives a file to the user that the server runs as.
    fn give(&self, path: &Path, mode: u32) {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        if let Some((user, group)) = self.user {
            chown(path, Some(user), Some(group)).unwrap();
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command
            .arg("-D")
            .arg(self.data())
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        let status = command.status().unwrap();
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        assert!(status.success(), "{program}: {status}\n{log}");
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.run("pg_ctl", &["stop", "-m", "immediate"]);
    }
}

/// Finds the folder of the programs of a server.
fn programs() -> Option<PathBuf> {
    let is_server = |folder: &PathBuf| {
        ["initdb", "pg_ctl"]
            .iter()
            .all(|name| folder.join(name).exists())
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().join("bin"))
        .collect();
    versions.sort();
    versions
        .into_iter()
        .rev()
        .chain(std::env::split_paths(&path))
        .find(is_server)
}

/// Returns who is to run the server, which root may not.
fn other_user() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| -> u32 {
        let output = Command::new("id").args(arguments).output().unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    };
    (id(&["-u"]) == 0).then(|| (id(&["-u", "postgres"]), id(&["-g", "postgres"])))
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
