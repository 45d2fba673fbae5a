use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use uuid::{Builder, NoContext, Uuid};

/// Tells the time of day.
///
/// Units: milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Gives random bits, at least the lower 62 of them; ids are made of these.
pub type RandomBits = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The clock of the system.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Random bits of the system.
pub fn system_random() -> RandomBits {
    Arc::new(|| {
        let random = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, 0, 0));
        random.as_u64_pair().1
    })
}

/// ISO 8601 in UTC with milliseconds, as JavaScript writes it; a time out of range is 1970.
pub(crate) fn iso_of(time_ms: i64) -> String {
    format!(
        "{:.3}",
        Timestamp::from_millisecond(time_ms).unwrap_or(Timestamp::UNIX_EPOCH)
    )
}

/// Reads what [`iso_of`] writes, and what else is a time in ISO 8601.
pub(crate) fn ms_of(iso: &str) -> Option<i64> {
    iso.parse::<Timestamp>()
        .ok()
        .map(|time| time.as_millisecond())
}

/// Makes the id of a session: a UUID of version 7, so that ids sort by time.
pub(crate) fn session_id(time_ms: i64, random: &RandomBits) -> String {
    let mut bits = [0; 10];
    let words = [random(), random()];
    let bytes = words
        .iter()
        .flat_map(|word| word.to_le_bytes().into_iter().take(5));
    for (to, from) in bits.iter_mut().zip(bytes) {
        *to = from;
    }
    let time_ms = u64::try_from(time_ms).unwrap_or_default();
    Builder::from_unix_timestamp_millis(time_ms, &bits)
        .into_uuid()
        .to_string()
}

/// Makes the id of an entry: eight hexadecimal digits, or more if those are all taken.
pub(crate) fn entry_id(random: &RandomBits, is_taken: impl Fn(&str) -> bool) -> Arc<str> {
    const MAX_TRIES: usize = 100;
    for _ in 0..MAX_TRIES {
        let id = format!("{:08x}", random() & 0xffff_ffff);
        if !is_taken(&id) {
            return id.into();
        }
    }
    let first = random();
    (0..)
        .map(|more: u64| format!("{first:016x}{:016x}", random().wrapping_add(more)))
        .find(|id| !is_taken(id))
        .unwrap_or_default()
        .into()
}
