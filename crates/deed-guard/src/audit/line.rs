//! A line of the log: its two parts, cut at fixed places.

use deed_schema::Sha256Hash;
use serde::{Deserialize, Serialize};

const OPEN: &[u8] = br#"{"h":""#;
const MIDDLE: &[u8] = br#"","r":"#;
const CLOSE: &[u8] = b"}\n";
const HEX: usize = 64;

/// The largest integer that each JSON reader takes for the same number.
pub(super) const MAX_EXACT: u64 = (1 << 53) - 1;

/// Longer lines are none that the log wrote; they are not read into memory.
pub(super) const MAX_LINE_BYTES: u64 = 64 * 1024;

/// A SHA-256 in the digits that stand in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HexHash([u8; HEX]);

impl HexHash {
    /// What the very first record is chained to.
    pub(super) const ZEROS: Self = Self([b'0'; HEX]);

    pub(super) fn of(bytes: &[u8]) -> Self {
        Sha256Hash::of(bytes).into()
    }

    /// Reads exactly 64 lower-case digits.
    pub(super) fn read(digits: &[u8]) -> Option<Self> {
        let digits: [u8; HEX] = digits.try_into().ok()?;
        let is_hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        digits.iter().all(is_hex).then_some(Self(digits))
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    pub(super) fn to_hash(self) -> Sha256Hash {
        self.as_str().parse().unwrap_or(Sha256Hash::from([0; 32]))
    }
}

impl From<Sha256Hash> for HexHash {
    fn from(hash: Sha256Hash) -> Self {
        let mut digits = [0; HEX];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(hash.as_bytes()) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        Self(digits)
    }
}

fn digit(half: u8) -> u8 {
    match half {
        0..10 => b'0' + half,
        _ => b'a' + half - 10,
    }
}

/// Appends a line and returns the hash of its record.
#[expect(
    clippy::expect_used,
    reason = "a record has texts, integers and booleans only, and memory takes all of them"
)]
pub(super) fn write(lines: &mut Vec<u8>, record: &impl Serialize) -> HexHash {
    lines.extend_from_slice(OPEN);
    let hash_at = lines.len();
    lines.extend_from_slice(&HexHash::ZEROS.0);
    lines.extend_from_slice(MIDDLE);
    let record_at = lines.len();
    serde_json::to_writer(&mut *lines, record).expect("a record can be written");
    let hash = HexHash::of(lines.get(record_at..).unwrap_or_default());
    if let Some(place) = lines.get_mut(hash_at..hash_at + HEX) {
        place.copy_from_slice(&hash.0);
    }
    lines.extend_from_slice(CLOSE);
    hash
}

/// The two parts of a line.
pub(super) struct Parts<'a> {
    /// The hash that the line states.
    pub(super) stated: HexHash,
    /// The bytes that it should be the hash of.
    pub(super) record: &'a [u8],
}

/// Cuts a line with its line end; `None` if it has another shape.
pub(super) fn split(line: &[u8]) -> Option<Parts<'_>> {
    let rest = line.strip_prefix(OPEN)?;
    let (digits, rest) = rest.split_at_checked(HEX)?;
    let record = rest.strip_prefix(MIDDLE)?.strip_suffix(CLOSE)?;
    Some(Parts {
        stated: HexHash::read(digits)?,
        record,
    })
}

/// What of a record holds the chain together.
#[derive(Deserialize)]
pub(super) struct Seen<'a> {
    pub(super) seq: u64,
    pub(super) prev: &'a str,
    pub(super) ts: &'a str,
    pub(super) event: &'a str,
}

impl<'a> Seen<'a> {
    /// Reads a record; `None` if it is none, or has a number that no log comes to.
    pub(super) fn read(record: &'a [u8]) -> Option<Self> {
        let seen: Self = serde_json::from_slice(record).ok()?;
        (seen.seq <= MAX_EXACT).then_some(seen)
    }
}
