mod again;

pub(crate) use again::{Retries, RetrySink};

use std::time::Duration;

use deed_protocol::{AssistantMessage, ErrorKind, StopReason};

/// Whether and when a request that failed is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Whether at all.
    pub enabled: bool,
    /// How often for one prompt, in a row.
    pub max_retries: u32,
    /// The wait before the first; each further one is twice as long.
    pub base_delay: Duration,
    /// No wait is longer; a provider that asks for a longer one is not waited for.
    pub max_delay: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            max_retries: 3,
            base_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Returns how long to wait before an answer that failed is asked for again; `None` if it is not.
    ///
    /// `attempt` counts from 1.
    pub(crate) fn delay(&self, answer: &AssistantMessage, attempt: u32) -> Option<Duration> {
        let may = self.enabled
            && attempt <= self.max_retries
            && answer.stop_reason == StopReason::Error
            && answer.error_kind.is_some_and(ErrorKind::is_retryable);
        if !may {
            return None;
        }
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let own = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        match answer.retry_after_ms.map(Duration::from_millis) {
            Some(asked) if asked > self.max_delay => None,
            Some(asked) => Some(own.max(asked)),
            None => Some(own),
        }
    }
}
