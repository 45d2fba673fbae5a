//! Taking secrets out.

mod environment;
mod forms;
mod markers;
mod results;
mod shapes;
mod stream;

use deed_agent::Redactor;
use deed_guard::redact::{KnownSecret, SecretRedactor};

/// A redactor that knows these values, each of the kind `k`.
fn redactor<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> SecretRedactor {
    let secrets = values.into_iter().map(|value| KnownSecret {
        kind: "k".to_owned(),
        value: value.as_ref().to_owned(),
    });
    let (redactor, warnings) = SecretRedactor::new(secrets);
    assert_eq!(warnings, []);
    redactor
}

/// What comes out of a stream of these chunks.
fn streamed<'a>(redactor: &SecretRedactor, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut stream = redactor.stream().unwrap();
    let mut clean = Vec::new();
    for chunk in chunks {
        clean.extend_from_slice(&stream.push(chunk));
    }
    clean.extend(stream.finish());
    clean
}
