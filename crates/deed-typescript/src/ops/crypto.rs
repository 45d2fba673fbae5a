//! Hashes and random numbers.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use serde::Deserialize;
use serde_json::json;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::files::{from_base64, to_base64};
use super::{Op, OpContext, OpError, OpResult, Row, read, say};

pub(super) const ROWS: &[Row] = &[
    ("crypto.hash", Op::Now(hash)),
    ("crypto.hmac", Op::Now(hmac)),
    ("crypto.hashes", Op::Now(hashes)),
    ("crypto.randomBytes", Op::Now(random_bytes)),
    ("crypto.randomUUID", Op::Now(random_uuid)),
];

type Hash = fn(&[u8]) -> Vec<u8>;
type KeyedHash = fn(&[u8], &[u8]) -> Option<Vec<u8>>;

const ALGORITHMS: &[(&str, Hash, KeyedHash)] = &[
    ("md5", digest::<Md5>, keyed::<Hmac<Md5>>),
    ("sha1", digest::<Sha1>, keyed::<Hmac<Sha1>>),
    ("sha224", digest::<Sha224>, keyed::<Hmac<Sha224>>),
    ("sha256", digest::<Sha256>, keyed::<Hmac<Sha256>>),
    ("sha384", digest::<Sha384>, keyed::<Hmac<Sha384>>),
    ("sha512", digest::<Sha512>, keyed::<Hmac<Sha512>>),
];

fn digest<D: Digest>(data: &[u8]) -> Vec<u8> {
    D::digest(data).to_vec()
}

fn keyed<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    mac.update(data);
    Some(mac.finalize().into_bytes().to_vec())
}

fn find(algorithm: &str) -> Result<&'static (&'static str, Hash, KeyedHash), OpError> {
    let name = algorithm.to_ascii_lowercase().replace('-', "");
    let row = ALGORITHMS.iter().find(|(known, ..)| *known == name);
    row.ok_or_else(|| {
        OpError::failed(format!("the hash {algorithm} is not known")).with_code("ERR_ALGORITHM")
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Deserialize)]
struct HashArgs {
    algorithm: String,
    base64: String,
}

fn hash(_: &OpContext, json: &str) -> OpResult {
    let HashArgs { algorithm, base64 } = read(json)?;
    let (_, hash, _) = find(&algorithm)?;
    say(json!({ "hex": hex(&hash(&from_base64(&base64)?)) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HmacArgs {
    algorithm: String,
    key_base64: String,
    base64: String,
}

fn hmac(_: &OpContext, json: &str) -> OpResult {
    let args: HmacArgs = read(json)?;
    let (_, _, keyed) = find(&args.algorithm)?;
    let mac = keyed(&from_base64(&args.key_base64)?, &from_base64(&args.base64)?);
    let mac = mac.ok_or_else(|| OpError::failed("the key has no usable length"))?;
    say(json!({ "hex": hex(&mac) }))
}

fn hashes(_: &OpContext, _: &str) -> OpResult {
    let names: Vec<&str> = ALGORITHMS.iter().map(|(name, ..)| *name).collect();
    say(json!({ "names": names }))
}

/// What one call may ask for.
const MAX_RANDOM_BYTES: usize = 1024 * 1024;

pub(super) fn random(size: usize) -> Result<Vec<u8>, OpError> {
    let mut bytes = vec![0; size.min(MAX_RANDOM_BYTES)];
    getrandom::fill(&mut bytes).map_err(OpError::failed)?;
    Ok(bytes)
}

#[derive(Deserialize)]
struct Size {
    size: usize,
}

fn random_bytes(_: &OpContext, json: &str) -> OpResult {
    let Size { size } = read(json)?;
    say(json!({ "base64": to_base64(&random(size)?) }))
}

fn random_uuid(_: &OpContext, _: &str) -> OpResult {
    let mut bytes = random(16)?;
    // Version 4 of RFC 9562.
    if let Some(byte) = bytes.get_mut(6) {
        *byte = (*byte & 0x0f) | 0x40;
    }
    if let Some(byte) = bytes.get_mut(8) {
        *byte = (*byte & 0x3f) | 0x80;
    }
    let hex = hex(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts: Vec<&str> = parts.into_iter().filter_map(|part| hex.get(part)).collect();
    say(json!({ "uuid": parts.join("-") }))
}
