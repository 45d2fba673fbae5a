//! The one way out to the network.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use deed_protocol::ErrorKind;
use reqwest::header::HeaderMap;
use reqwest::{Client, Url};
use tokio::sync::{OnceCell, mpsc};
use tokio::task::AbortHandle;

use crate::fault::{Fault, seconds_to_ms};

mod client;
mod reason;

/// How many pieces of a body may wait for the reader before the connection waits.
const MAX_WAITING_PIECES: usize = 1024;

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
            Err(_) => return Err(nothing_came(&address, idle)),
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

/// An answer whose body is still to come.
///
/// A task of its own takes the body off the connection, which hands over one piece at a time and
/// waits for it to be taken: a reader elsewhere would be woken for each. Dropping ends the task, and
/// with it the connection.
pub(crate) struct Reply {
    status: u16,
    headers: HeaderMap,
    pieces: mpsc::Receiver<reqwest::Result<Bytes>>,
    pump: AbortHandle,
    idle: Duration,
    address: String,
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Reply {
    fn new(mut response: reqwest::Response, idle: Duration, address: String) -> Self {
        let (to, pieces) = mpsc::channel(MAX_WAITING_PIECES);
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let pump = tokio::spawn(async move {
            while let Some(piece) = response.chunk().await.transpose() {
                let is_last = piece.is_err();
                if to.send(piece).await.is_err() || is_last {
                    break;
                }
            }
        });
        Self {
            status,
            headers,
            pieces,
            pump: pump.abort_handle(),
            idle,
            address,
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns what came next; `None` at the end.
    ///
    /// Errors: the connection broke off, or nothing came for too long.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Fault> {
        match tokio::time::timeout(self.idle, self.pieces.recv()).await {
            Ok(piece) => piece
                .transpose()
                .map_err(|error| reason::of_reading(&error)),
            Err(_) => Err(nothing_came(&self.address, self.idle)),
        }
    }

    /// Returns what came already, without waiting for more; `None` if nothing did.
    pub(crate) fn ready_chunk(&mut self) -> Option<Result<Bytes, Fault>> {
        let piece = self.pieces.try_recv().ok()?;
        Some(piece.map_err(|error| reason::of_reading(&error)))
    }

    /// Returns the start of the body, as far as it comes.
    pub(crate) async fn start(&mut self, max_bytes: usize) -> String {
        let mut start = Vec::new();
        while let Ok(Some(chunk)) = self.chunk().await {
            let room = max_bytes.saturating_sub(start.len());
            start.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if start.len() >= max_bytes {
                break;
            }
        }
        String::from_utf8_lossy(&start).into_owned()
    }
}

fn nothing_came(address: &str, idle: Duration) -> Fault {
    Fault::new(
        ErrorKind::Timeout,
        format!("nothing came from {address} for {idle:?}; try again, or allow a longer silence"),
    )
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

fn is_this_machine(url: &Url) -> bool {
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

/// Returns how long a provider asks to wait, from the header fields of its answer.
///
/// Units: `now_ms` is milliseconds since 1970.
///
/// Source: RFC 9110, section 10.2.3; `retry-after-ms` is OpenAI's.
pub(crate) fn retry_after_ms(reply: &Reply, now_ms: i64) -> Option<u64> {
    let number = |name| reply.header(name)?.trim().parse::<f64>().ok();
    if let Some(ms) = number("retry-after-ms") {
        return seconds_to_ms(ms / 1000.0);
    }
    if let Some(seconds) = number("retry-after") {
        return seconds_to_ms(seconds);
    }
    let date = reply.header("retry-after")?.trim();
    let at = jiff::fmt::rfc2822::parse(date).ok()?.timestamp();
    u64::try_from(at.as_millisecond() - now_ms).ok()
}
