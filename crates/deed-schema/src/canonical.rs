use std::fmt;
use std::io;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the one spelling of a value that all spellings of it share: keys in UTF-16 order,
/// ECMAScript numbers, no blanks.
///
/// Shape: numbers are doubles here, so integers beyond 2^53−1 would lose digits; validated arguments
/// hold none. Texts are not normalised: two spellings of `é` stay two texts.
///
/// Source: RFC 8785.
pub fn canonical_json(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_canonical(value, &mut bytes);
    bytes
}

/// Returns the SHA-256 of bytes in lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256Hash::of(bytes).to_string()
}

#[expect(
    clippy::expect_used,
    reason = "a Value has string keys and finite numbers; the sinks cannot fail"
)]
fn write_canonical(value: &Value, sink: &mut impl io::Write) {
    serde_json_canonicalizer::to_writer(value, sink).expect("a value has a canonical form");
}

/// A SHA-256 hash.
///
/// Shape: 64 lower-case hexadecimal digits when shown or serialised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Hash([u8; 32]);

impl Sha256Hash {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes the canonical form of a value without holding that form in memory.
    pub fn of_canonical(value: &Value) -> Self {
        let mut sink = HashSink(Sha256::new());
        write_canonical(value, &mut sink);
        Self(sink.0.finalize().into())
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for Sha256Hash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256Hash({self})")
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 hash: expected 64 hexadecimal digits")]
pub struct ParseHashError;

impl FromStr for Sha256Hash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(ParseHashError);
        };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return Err(ParseHashError);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

fn hex_digit(digit: u8) -> Result<u8, ParseHashError> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
        .ok_or(ParseHashError)
}

impl Serialize for Sha256Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

struct HashSink(Sha256);

impl io::Write for HashSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
