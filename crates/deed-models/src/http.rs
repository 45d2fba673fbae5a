//! The one way out to the network.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use tokio::sync::OnceCell;

use crate::fault::Fault;

mod client;
mod reason;
mod reply;
pub mod web;

pub(crate) use reply::{Reply, retry_after_ms};

/// How models are reached.
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// How long nothing may come, before the answer and inside it; there is no limit for the whole.
    pub idle_timeout: Duration,
    /// Through which proxy requests go; never those to this machine.
    pub proxy: ProxyChoice,
    /// Which certificates are trusted.
    pub roots: RootChoice,
    /// Files with further certificates in PEM form, such as that of a company's proxy.
    pub extra_roots: Vec<PathBuf>,
    /// What the program calls itself.
    pub user_agent: String,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(300),
            proxy: ProxyChoice::None,
            roots: RootChoice::Bundled,
            extra_roots: Vec::new(),
            user_agent: concat!("deed/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// Through which proxy requests go.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// None.
    #[default]
    None,
    /// The one that the system or its environment names.
    System,
    /// This one.
    Url {
        /// Where it is; may hold a name and a password.
        url: String,
        /// Hosts that are reached without it, separated by commas.
        no_proxy: String,
    },
}

impl fmt::Debug for ProxyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::System => "System",
            Self::Url { .. } => "Url(…)",
        })
    }
}

/// Which certificates are trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootChoice {
    /// Mozilla's, which are part of the program.
    #[default]
    Bundled,
    /// Those of the system, read at the first secure request.
    System,
}

/// Sends requests; cheap to clone, and nothing is set up before the first request.
#[derive(Clone)]
pub struct Transport(Arc<Inner>);

struct Inner {
    options: TransportOptions,
    /// By [`Lane`]: a client is made when its lane is first used.
    clients: [OnceCell<Client>; 4],
}

/// What a client must be able to do.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// TLS: reading certificates costs time that plain requests do not pay.
    is_secure: bool,
    /// No proxy: what goes to this machine never leaves it.
    is_local: bool,
}

impl Transport {
    /// Makes a transport without opening anything.
    pub fn new(options: TransportOptions) -> Self {
        Self(Arc::new(Inner {
            options,
            clients: [const { OnceCell::const_new() }; 4],
        }))
    }

    /// Sends a request and returns the head of the answer, whatever its state.
    ///
    /// Errors: no answer came. The text names the address without what may be secret in it.
    ///
    /// Cancellation: dropping the future closes the connection.
    pub(crate) async fn send(&self, request: Outgoing) -> Result<Reply, Fault> {
        let address = shown_address(&request.url);
        let client = self.client(&request.url).await?;
        let mut sending = client
            .request(request.method, request.url)
            .headers(request.headers);
        if let Some(body) = request.body {
            sending = sending.body(body);
        }
        let idle = request.idle_timeout.unwrap_or(self.0.options.idle_timeout);
        let response = match tokio::time::timeout(idle, sending.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(reason::of_sending(&error, &address)),
            Err(_) => return Err(reason::silence(&address, idle)),
        };
        Ok(Reply::new(response, idle, address))
    }

    async fn client(&self, url: &Url) -> Result<&Client, Fault> {
        let lane = Lane::of(url);
        let at = usize::from(lane.is_secure) * 2 + usize::from(lane.is_local);
        let [plain, plain_local, secure, secure_local] = &self.0.clients;
        let cell = match at {
            0 => plain,
            1 => plain_local,
            2 => secure,
            _ => secure_local,
        };
        cell.get_or_try_init(|| client::make(&self.0.options, lane))
            .await
    }
}

impl Default for Transport {
    fn default() -> Self {
        Self::new(TransportOptions::default())
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Transport").field(&self.0.options).finish()
    }
}

impl Lane {
    fn of(url: &Url) -> Self {
        Self {
            is_secure: url.scheme() != "http",
            is_local: is_this_machine(url),
        }
    }
}

/// A request on its way out.
pub(crate) struct Outgoing {
    pub(crate) method: reqwest::Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<reqwest::Body>,
    /// In place of the transport's own.
    pub(crate) idle_timeout: Option<Duration>,
}

/// Returns an address without user, password and query, which may hold secrets.
pub(crate) fn shown_address(url: &Url) -> String {
    let mut shown = url.clone();
    // A URL that cannot have a user has none to hide.
    shown.set_username("").ok();
    shown.set_password(None).ok();
    shown.set_query(None);
    shown.set_fragment(None);
    shown.to_string()
}

/// Tells whether an address is on this machine.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}
