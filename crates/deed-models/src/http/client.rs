//! Makes the clients of a [`Transport`](super::Transport).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deed_protocol::ErrorKind;
use reqwest::{Client, NoProxy, Proxy, redirect};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::{Lane, ProxyChoice, RootChoice, TransportOptions};
use crate::fault::Fault;

/// How often a silent HTTP/2 connection is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(30);

pub(super) async fn make(options: &TransportOptions, lane: Lane) -> Result<Client, Fault> {
    let proxy = if lane.is_local {
        &ProxyChoice::None
    } else {
        &options.proxy
    };
    // A proxy may itself be reached by TLS.
    let needs_roots = lane.is_secure
        || matches!(proxy, ProxyChoice::System)
        || matches!(proxy, ProxyChoice::Url { url, .. } if url.starts_with("https:"));
    let roots = if needs_roots {
        trusted(options).await?
    } else {
        RootCertStore::empty()
    };
    let builder = Client::builder()
        .tls_backend_preconfigured(tls(roots)?)
        .connect_timeout(options.connect_timeout)
        .user_agent(options.user_agent.as_str())
        // A redirection would take keys in header fields to another host.
        .redirect(redirect::Policy::none())
        .http2_keep_alive_interval(PING_INTERVAL)
        .tcp_nodelay(true);
    let builder = match proxy {
        ProxyChoice::None => builder.no_proxy(),
        ProxyChoice::System => builder,
        ProxyChoice::Url { url, no_proxy } => {
            let proxy = Proxy::all(url.as_str()).map_err(|_| unusable("the proxy's address"))?;
            builder
                .no_proxy()
                .proxy(proxy.no_proxy(NoProxy::from_string(no_proxy)))
        }
    };
    builder
        .build()
        .map_err(|error| unusable(&error.to_string()))
}

fn unusable(what: &str) -> Fault {
    Fault::new(
        ErrorKind::Other,
        format!("no connection can be set up: {what} cannot be used"),
    )
}

/// Makes a configuration of TLS with its cryptography handed over, so that no default of the
/// process is needed.
fn tls(roots: RootCertStore) -> Result<ClientConfig, Fault> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

async fn trusted(options: &TransportOptions) -> Result<RootCertStore, Fault> {
    let bundled = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if options.roots == RootChoice::Bundled && options.extra_roots.is_empty() {
        return Ok(bundled);
    }
    let (choice, files) = (options.roots, options.extra_roots.clone());
    let reading = tokio::task::spawn_blocking(move || {
        let mut roots = match choice {
            RootChoice::Bundled => bundled,
            RootChoice::System => of_system()?,
        };
        for file in &files {
            add_file(&mut roots, file)?;
        }
        Ok(roots)
    });
    reading
        .await
        .unwrap_or_else(|_| Err(unusable("the certificates")))
}

fn of_system() -> Result<RootCertStore, Fault> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added > 0 {
        return Ok(roots);
    }
    let why = found
        .errors
        .first()
        .map_or_else(|| "none was found".to_owned(), ToString::to_string);
    Err(Fault::new(
        ErrorKind::Other,
        format!("the certificates of this system cannot be read ({why}); use the bundled ones"),
    ))
}

fn add_file(roots: &mut RootCertStore, file: &Path) -> Result<(), Fault> {
    let bad = |why: String| {
        Fault::new(
            ErrorKind::Other,
            format!("no certificate can be read from {}: {why}", file.display()),
        )
    };
    let certificates = CertificateDer::pem_file_iter(PathBuf::from(file))
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(error.to_string()))?;
    let (added, ignored) = roots.add_parsable_certificates(certificates);
    if added == 0 || ignored > 0 {
        return Err(bad(format!("{added} are usable, {ignored} are not")));
    }
    Ok(())
}
