use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use deed_agent::BoxFuture;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::frames::Framed;
use super::session::Wire;
use crate::database::{PostgresUrl, SslMode};

/// Where systems keep the certificates of the authorities they trust.
const SYSTEM_ROOTS: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

type Connector = <MakeRustlsConnect as MakeTlsConnect<Wire>>::TlsConnect;
type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Wire>>::Stream;

/// Makes TLS of a stream, and watches what comes out of it.
pub(super) struct FramedTls(Connector);

impl FramedTls {
    /// Makes ready for one connection to `host`.
    ///
    /// Errors: why there is no way to check the server.
    pub(super) async fn new(url: &PostgresUrl, host: &str) -> Result<Self, String> {
        let config = match url.ssl_mode {
            SslMode::VerifyFull => {
                let file = url.ssl_root_cert.clone();
                let roots = tokio::task::spawn_blocking(move || roots(file));
                verifying(roots.await.map_err(|fault| fault.to_string())??)?
            }
            SslMode::Disable | SslMode::Prefer | SslMode::Require => trusting()?,
        };
        let mut maker = MakeRustlsConnect::new(config);
        let made = MakeTlsConnect::<Wire>::make_tls_connect(&mut maker, host);
        made.map(Self).map_err(|error| error.to_string())
    }
}

impl TlsConnect<Framed<Wire>> for FramedTls {
    type Stream = Framed<Encrypted>;
    type Error = std::io::Error;
    type Future = BoxFuture<'static, Result<Self::Stream, Self::Error>>;

    fn connect(self, stream: Framed<Wire>) -> Self::Future {
        let (wire, watch) = stream.into_parts();
        let connecting = self.0.connect(wire);
        let framed = async move { Ok(Framed::new(connecting.await?, watch, 0)) };
        Box::pin(framed) as Pin<Box<_>>
    }
}

fn builder() -> Result<
    (
        Arc<CryptoProvider>,
        rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
    ),
    String,
> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok((provider, builder))
}

fn verifying(roots: RootCertStore) -> Result<ClientConfig, String> {
    let (_, builder) = builder()?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn trusting() -> Result<ClientConfig, String> {
    let (provider, builder) = builder()?;
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth())
}

/// Reads the certificates of trusted authorities.
fn roots(file: Option<PathBuf>) -> Result<RootCertStore, String> {
    let file = match file {
        Some(file) => file,
        None => SYSTEM_ROOTS
            .iter()
            .map(Path::new)
            .find(|path| path.exists())
            .ok_or("no certificates of authorities were found; name a file with sslrootcert=")?
            .to_owned(),
    };
    let unreadable = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(&file).map_err(|error| unreadable(&error))?;
    // A bundle may hold certificates that nothing can use; the others stand.
    roots.add_parsable_certificates(certificates.filter_map(Result::ok));
    if roots.is_empty() {
        return Err(unreadable(&"no certificate in it"));
    }
    Ok(roots)
}

/// Takes any certificate, as `sslmode=prefer` and `require` mean it: they protect from listeners, not
/// from somebody who stands between.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
