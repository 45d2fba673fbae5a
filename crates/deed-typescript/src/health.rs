use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::Death;

/// How long an engine may be away, in time of the wall, before it counts as stuck in code that
/// cannot be interrupted. Far more than a slice: on a busy machine a slice may take long.
const STUCK_AFTER: Duration = Duration::from_secs(60);

/// How one engine is, for its own thread and for those that wait for it.
///
/// An engine that was interrupted once is not trusted again: what ran may have stopped anywhere.
#[derive(Debug)]
pub(crate) struct Health {
    slice: Duration,
    zero: Instant,
    /// When the script got the thread, in milliseconds since `zero`, plus one; 0 while it waits.
    entered_ms: AtomicU64,
    /// How much the thread had computed by then, so that a busy machine stops nobody.
    entered_cpu_ns: AtomicU64,
    death: OnceLock<Death>,
    dead: watch::Sender<bool>,
}

impl Health {
    pub(crate) fn new(slice: Duration) -> Self {
        Self {
            slice,
            zero: Instant::now(),
            entered_ms: AtomicU64::new(0),
            entered_cpu_ns: AtomicU64::new(0),
            death: OnceLock::new(),
            dead: watch::Sender::new(false),
        }
    }

    /// The script gets the thread, or a fresh slice after it waited for the host.
    pub(crate) fn enter(&self) {
        let ms = self.zero.elapsed().as_millis();
        let ms = u64::try_from(ms).unwrap_or(u64::MAX - 1);
        self.entered_ms.store(ms + 1, Ordering::Relaxed);
        self.entered_cpu_ns
            .store(thread_cpu_ns(), Ordering::Relaxed);
    }

    /// The thread is the host's.
    pub(crate) fn leave(&self) {
        self.entered_ms.store(0, Ordering::Relaxed);
    }

    /// Asked by the engine again and again, on its thread, while the script runs: must it stop?
    pub(crate) fn must_stop(&self) -> bool {
        if self.death.get().is_some() {
            return true;
        }
        let entered = self.entered_cpu_ns.load(Ordering::Relaxed);
        let computed = Duration::from_nanos(thread_cpu_ns().saturating_sub(entered));
        let over = computed > self.slice;
        if over {
            self.die(Death::Busy { slice: self.slice });
        }
        over
    }

    /// Ends an engine that the interrupt does not reach.
    pub(crate) fn check_stuck(&self) {
        if self
            .busy_for()
            .is_some_and(|busy| busy > self.slice + STUCK_AFTER)
        {
            self.die(Death::Busy { slice: self.slice });
        }
    }

    fn busy_for(&self) -> Option<Duration> {
        let entered = self.entered_ms.load(Ordering::Relaxed).checked_sub(1)?;
        Some(
            self.zero
                .elapsed()
                .saturating_sub(Duration::from_millis(entered)),
        )
    }

    /// Notes why the engine is not to be used any more; the first reason counts.
    pub(crate) fn die(&self, death: Death) {
        if self.death.set(death).is_ok() {
            self.dead.send_replace(true);
        }
    }

    pub(crate) fn death(&self) -> Option<&Death> {
        self.death.get()
    }

    /// Waits until the engine is dead.
    pub(crate) async fn died(&self) -> Death {
        let mut dead = self.dead.subscribe();
        // The sender is here, so this cannot fail.
        dead.wait_for(|dead| *dead).await.ok();
        self.death().cloned().unwrap_or(Death::Closed)
    }
}

/// Returns how much this thread has computed.
fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
    seconds.unwrap_or(0) * 1_000_000_000 + nanoseconds.unwrap_or(0)
}
