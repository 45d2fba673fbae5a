use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_postgres::tls::NoTls;
use tokio_postgres::{CancelToken, Client, Config, Connection, config};
use tokio_util::either::Either;

use super::failure::described;
use super::frames::{Framed, Watch};
use super::tls::FramedTls;
use crate::database::{Host, PostgresUrl, SslMode};
use crate::job::Deadline;
use crate::run_error::RunError;

/// How long a request to stop a statement may take.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a statement that is asked to stop may take to do so; a runner waits five seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
const STOP_AGAIN: Duration = Duration::from_millis(100);
/// How long to wait for the end of a connection that was told to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// How much later than the server the clock on this side strikes.
const SERVER_FIRST: Duration = Duration::from_secs(1);

/// A stream to a server, before any encryption.
#[cfg(unix)]
pub(super) type Wire = Either<TcpStream, tokio::net::UnixStream>;
#[cfg(not(unix))]
pub(super) type Wire = Either<TcpStream, TcpStream>;

/// A connection for one call.
pub(super) struct Session<'a> {
    pub(super) client: Client,
    pub(super) watch: Arc<Watch>,
    url: &'a PostgresUrl,
    driver: Option<JoinHandle<()>>,
}

impl<'a> Session<'a> {
    /// Connects with settings for the session.
    ///
    /// Cancellation: gives up connecting.
    pub(super) async fn open(
        url: &'a PostgresUrl,
        settings: &[(&str, String)],
        deadline: &Deadline,
    ) -> Result<Self, RunError> {
        let mut config = url.config.clone();
        let options: Vec<String> = settings
            .iter()
            .map(|(name, value)| format!("-c {name}={value}"))
            .collect();
        config.options(options.join(" ")).application_name("deed");
        tokio::select! {
            opened = Self::connect(url, config) => opened.map_err(|reason| unreachable(url, reason)),
            () = deadline.cancel.cancelled() => Err(RunError::Cancelled),
            () = tokio::time::sleep(deadline.timeout) => {
                Err(unreachable(url, format!("no answer within {} s", deadline.timeout.as_secs_f64())))
            }
        }
    }

    async fn connect(url: &'a PostgresUrl, mut config: Config) -> Result<Self, String> {
        config.ssl_mode(driver_mode(url));
        let watch = Arc::new(Watch::default());
        let wire = framed(url, watch.clone()).await?;
        let (client, driver) = match tls(url).await? {
            None => drive(config.connect_raw(wire, NoTls).await.map_err(described)?),
            Some(tls) => drive(config.connect_raw(wire, tls).await.map_err(described)?),
        };
        Ok(Self {
            client,
            watch,
            url,
            driver: Some(driver),
        })
    }

    /// Does work on the session until it is done or the job is over; in that case asks the server to
    /// stop it.
    pub(super) async fn within<T>(
        &self,
        deadline: &Deadline,
        work: impl Future<Output = Result<T, RunError>>,
    ) -> Result<T, RunError> {
        let mut work = std::pin::pin!(work);
        let error = tokio::select! {
            done = &mut work => return done,
            () = deadline.cancel.cancelled() => RunError::Cancelled,
            () = tokio::time::sleep(deadline.timeout + SERVER_FIRST) => {
                RunError::TimedOut(deadline.timeout)
            }
        };
        // Its outcome matters nothing any more, only that the server is done with it.
        let ended = async {
            tokio::select! {
                _ = &mut work => {}
                () = self.stop_repeatedly() => {}
            }
        };
        tokio::time::timeout(STOP_TIMEOUT, ended).await.ok();
        Err(error)
    }

    /// Asks again and again: a request that comes between two commands stops neither.
    async fn stop_repeatedly(&self) {
        loop {
            self.stop().await;
            tokio::time::sleep(STOP_AGAIN).await;
        }
    }

    /// Asks the server to stop what it does.
    pub(super) async fn stop(&self) {
        let token = self.client.cancel_token();
        let stopping = stop(self.url, token);
        tokio::time::timeout(CANCEL_TIMEOUT, stopping).await.ok();
    }

    /// Says good-bye and waits for the end of the connection, not for long.
    pub(super) async fn close(mut self) {
        let driver = self.driver.take();
        drop(self);
        if let Some(driver) = driver {
            let aborting = driver.abort_handle();
            if tokio::time::timeout(CLOSE_TIMEOUT, driver).await.is_err() {
                aborting.abort();
            }
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            driver.abort();
        }
    }
}

async fn stop(url: &PostgresUrl, token: CancelToken) -> Result<(), String> {
    let wire = framed(url, Arc::default()).await?;
    match tls(url).await? {
        None => token.cancel_query_raw(wire, NoTls).await,
        Some(tls) => token.cancel_query_raw(wire, tls).await,
    }
    .map_err(described)
}

/// Lets a connection run; notices of the server, which can hold anything, are dropped.
fn drive<T>(connected: (Client, Connection<Framed<Wire>, T>)) -> (Client, JoinHandle<()>)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (client, mut connection) = connected;
    let run =
        async move { while let Some(Ok(_)) = poll_fn(|cx| connection.poll_message(cx)).await {} };
    (client, tokio::spawn(run))
}

/// A Unix socket needs no TLS and no server offers it there.
fn driver_mode(url: &PostgresUrl) -> config::SslMode {
    match (&url.host, url.ssl_mode) {
        (Host::Unix(_), _) | (_, SslMode::Disable) => config::SslMode::Disable,
        (_, SslMode::Prefer) => config::SslMode::Prefer,
        (_, SslMode::Require | SslMode::VerifyFull) => config::SslMode::Require,
    }
}

async fn tls(url: &PostgresUrl) -> Result<Option<FramedTls>, String> {
    match (&url.host, url.ssl_mode) {
        (Host::Unix(_), _) | (_, SslMode::Disable) => Ok(None),
        (Host::Tcp(host), _) => FramedTls::new(url, host).await.map(Some),
    }
}

async fn framed(url: &PostgresUrl, watch: Arc<Watch>) -> Result<Framed<Wire>, String> {
    // The answer to the question for TLS is one byte and no message.
    let skip = usize::from(driver_mode(url) != config::SslMode::Disable);
    let wire = wire(url).await.map_err(|error| error.to_string())?;
    Ok(Framed::new(wire, watch, skip))
}

async fn wire(url: &PostgresUrl) -> std::io::Result<Wire> {
    match &url.host {
        Host::Tcp(host) => {
            let stream = TcpStream::connect((host.as_str(), url.port)).await?;
            stream.set_nodelay(true)?;
            Ok(Either::Left(stream))
        }
        #[cfg(unix)]
        Host::Unix(folder) => {
            let path = folder.join(format!(".s.PGSQL.{}", url.port));
            let stream = tokio::net::UnixStream::connect(path).await?;
            Ok(Either::Right(stream))
        }
        #[cfg(not(unix))]
        Host::Unix(_) => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

fn unreachable(url: &PostgresUrl, reason: String) -> RunError {
    RunError::Unreachable {
        place: url.to_string(),
        reason,
    }
}
