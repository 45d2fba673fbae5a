use std::fmt;
use std::path::{Path, PathBuf};

use tokio_postgres::Config;

const DEFAULT_PORT: u16 = 5432;

/// The parameters that are ours; the driver knows none of them in this meaning.
const SSL_MODE: &str = "sslmode";
const SSL_ROOT_CERT: &str = "sslrootcert";

/// The parameters that say where and who, which the driver reads. Others could loosen what the
/// backend sets up, or mean something else elsewhere.
const PLACE: [&str; 5] = ["host", "port", "user", "password", "dbname"];

const BAD_PARAMETER: &str = "has a parameter that is not supported; there are sslmode, \
                             sslrootcert, host, port, user, password and dbname";
const BAD_SSL_MODE: &str =
    "has an sslmode that is not supported; there are disable, prefer, require and verify-full";

/// Where a server is, who asks, and how the way there is protected.
#[derive(Clone)]
pub(crate) struct PostgresUrl {
    pub(crate) config: Config,
    pub(crate) host: Host,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) ssl_mode: SslMode,
    pub(crate) ssl_root_cert: Option<PathBuf>,
    raw_password: Option<String>,
}

/// What a server is reached by.
#[derive(Clone)]
pub(crate) enum Host {
    Tcp(String),
    /// The folder of the socket.
    Unix(PathBuf),
}

/// How the way to the server is protected.
///
/// Source: libpq's `sslmode`, without the two modes that promise less than they seem to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    /// TLS if the server has it; its certificate is not checked.
    Prefer,
    /// TLS or nothing; its certificate is not checked.
    Require,
    /// TLS with a certificate for this host that a known authority signed.
    VerifyFull,
}

impl PostgresUrl {
    /// Reads a URL; the error says what is wrong and holds no part of it.
    pub(super) fn parse(url: &str, folder: &Path) -> Result<Self, &'static str> {
        let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
        let mut ssl_mode = SslMode::Prefer;
        let mut ssl_root_cert = None;
        let mut rest = Vec::new();
        for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
            match parameter.split_once('=') {
                Some((SSL_MODE, value)) => ssl_mode = SslMode::parse(value).ok_or(BAD_SSL_MODE)?,
                Some((SSL_ROOT_CERT, value)) => {
                    let path = percent_decoded(value).ok_or("has a broken % in sslrootcert")?;
                    ssl_root_cert = Some(folder.join(path));
                }
                Some((name, _)) if PLACE.contains(&name) => rest.push(parameter),
                _ => return Err(BAD_PARAMETER),
            }
        }
        if ssl_root_cert.is_some() && ssl_mode != SslMode::VerifyFull {
            return Err("has an sslrootcert, which nothing but sslmode=verify-full looks at");
        }
        let config: Config = format!("{place}?{}", rest.join("&"))
            .parse()
            .map_err(|_| "is not of the form postgres://USER:PASSWORD@HOST:PORT/DATABASE")?;
        let user = config.get_user().filter(|user| !user.is_empty());
        let user = user.ok_or("names no user")?.to_owned();
        Ok(Self {
            host: host(&config)?,
            port: port(&config)?,
            database: config.get_dbname().unwrap_or(&user).to_owned(),
            user,
            ssl_mode,
            ssl_root_cert,
            raw_password: raw_password(place),
            config,
        })
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let sent = self.config.get_password();
        let sent = sent.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let mut secrets: Vec<String> = sent.into_iter().chain(self.raw_password.clone()).collect();
        secrets.dedup();
        secrets
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, port, database) = (&self.user, self.port, &self.database);
        write!(f, "{user}@{}:{port}/{database}", self.host)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(name) if name.contains(':') => write!(f, "[{name}]"),
            Self::Tcp(name) => f.write_str(name),
            Self::Unix(folder) => write!(f, "{}", folder.display()),
        }
    }
}

impl SslMode {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "disable" => Some(Self::Disable),
            "prefer" => Some(Self::Prefer),
            "require" => Some(Self::Require),
            "verify-full" => Some(Self::VerifyFull),
            _ => None,
        }
    }
}

fn host(config: &Config) -> Result<Host, &'static str> {
    match config.get_hosts() {
        [] => Err("names no host"),
        [tokio_postgres::config::Host::Tcp(name)] => Ok(Host::Tcp(name.clone())),
        #[cfg(unix)]
        [tokio_postgres::config::Host::Unix(folder)] => Ok(Host::Unix(folder.clone())),
        _ => Err("names several hosts; give each a name of its own"),
    }
}

fn port(config: &Config) -> Result<u16, &'static str> {
    match config.get_ports() {
        [] => Ok(DEFAULT_PORT),
        [port] => Ok(*port),
        _ => Err("names several ports"),
    }
}

/// Returns the password as the URL spells it.
fn raw_password(place: &str) -> Option<String> {
    let (_, behind) = place.split_once("://")?;
    let (credentials, _) = behind.rsplit_once('@')?;
    let (_, password) = credentials.split_once(':')?;
    Some(password.to_owned())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        if *first == b'%' {
            let (digits, behind) = behind.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = behind;
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}
