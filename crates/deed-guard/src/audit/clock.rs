use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// A point in time, by both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time of day.
    pub wall: Timestamp,
    /// Microseconds of the system's monotonic clock; it begins anew with each boot.
    pub mono_us: u64,
}

impl Moment {
    /// Reads the system's clocks.
    pub fn now() -> Self {
        let mono = clock_gettime(ClockId::Monotonic);
        let seconds = u64::try_from(mono.tv_sec).unwrap_or_default();
        let nanos = u64::try_from(mono.tv_nsec).unwrap_or_default();
        Self {
            wall: Timestamp::now(),
            mono_us: seconds * 1_000_000 + nanos / 1000,
        }
    }

    /// The time as a record has it: RFC 3339 in UTC with milliseconds.
    pub(super) fn text(&self) -> String {
        text_of(self.wall)
    }
}

/// The time as a record has it; what is before 1970 is a clock that was never set.
pub(super) fn text_of(time: Timestamp) -> String {
    format!("{:.3}", time.max(Timestamp::UNIX_EPOCH))
}
