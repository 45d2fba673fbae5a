//! Why a connection failed, in words.

use std::error::Error;
use std::io;
use std::time::Duration;

use deed_protocol::ErrorKind;

use crate::fault::Fault;

/// Kinds of faults of the network, with what to say; `{}` is the address.
const WORDS: &[(io::ErrorKind, &str)] = &[
    (
        io::ErrorKind::ConnectionRefused,
        "nothing listens at {}; start the server, or check the base URL",
    ),
    (
        io::ErrorKind::ConnectionReset,
        "the connection to {} was cut; try again",
    ),
    (
        io::ErrorKind::HostUnreachable,
        "{} cannot be reached; check the network",
    ),
    (
        io::ErrorKind::NetworkUnreachable,
        "{} cannot be reached; check the network",
    ),
];

/// Returns why a request got no answer.
pub(super) fn of_sending(error: &reqwest::Error, address: &str) -> Fault {
    if error.is_timeout() {
        let text = format!("no connection to {address} in time; check the network and the address");
        return Fault::new(ErrorKind::Network, text);
    }
    if error.is_builder() {
        let text = format!(
            "the request to {address} cannot be made: {}",
            innermost(error)
        );
        return Fault::new(ErrorKind::InvalidRequest, text);
    }
    let found = chain(error).find_map(|cause| {
        let kind = cause.downcast_ref::<io::Error>()?.kind();
        WORDS.iter().find(|(known, _)| *known == kind)
    });
    if let Some((_, words)) = found {
        return Fault::new(ErrorKind::Network, words.replace("{}", address));
    }
    let why = innermost(error);
    if why.contains("dns error") || why.contains("lookup address") || why.contains("not known") {
        let text = format!(
            "the host of {address} is not known ({why}); check the base URL and the network"
        );
        return Fault::new(ErrorKind::Network, text);
    }
    if let Some(tls) = chain(error).find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
        return of_tls(tls, address);
    }
    let text = format!("no answer from {address}: {why}; try again");
    Fault::new(ErrorKind::Network, text)
}

fn of_tls(error: &rustls::Error, address: &str) -> Fault {
    let hint = match error {
        rustls::Error::InvalidCertificate(_) => {
            "if a proxy of your network signs for it, trust its certificate or those of the system"
        }
        rustls::Error::InvalidMessage(_) => "it may speak plain http",
        _ => "try again",
    };
    // A certificate does not become right by asking again.
    let kind = match error {
        rustls::Error::InvalidCertificate(_) | rustls::Error::InvalidMessage(_) => ErrorKind::Other,
        _ => ErrorKind::Network,
    };
    let text = format!("no secure connection to {address}: {error}; {hint}");
    Fault::new(kind, text)
}

/// Returns that nothing came for this long.
pub(super) fn silence(address: &str, idle: Duration) -> Fault {
    Fault::new(
        ErrorKind::Timeout,
        format!("nothing came from {address} for {idle:?}; try again, or allow a longer silence"),
    )
}

/// Returns why an answer ended before it was whole.
pub(super) fn of_reading(error: &reqwest::Error) -> Fault {
    Fault::broke_off(innermost(error))
}

fn innermost(error: &reqwest::Error) -> String {
    chain(error)
        .last()
        .map_or_else(|| "no reason given".to_owned(), ToString::to_string)
}

/// Returns the causes of an error, the outer ones first, looking also into what an IO error wraps.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> Causes<'a> {
    Causes(error.source())
}

struct Causes<'a>(Option<&'a (dyn Error + 'static)>);

impl<'a> Iterator for Causes<'a> {
    type Item = &'a (dyn Error + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let cause = self.0?;
        let wrapped = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        self.0 = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => cause.source(),
        };
        Some(cause)
    }
}
