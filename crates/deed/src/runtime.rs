use std::future::Future;
use std::num::NonZero;
use std::time::Duration;

use anyhow::Context;

/// Threads for file operations, for each core. Commands have threads of their own; with many more
/// than there are cores they mostly wake one another.
const BLOCKING_THREADS_A_CORE: usize = 2;

/// How long threads that do not stop by themselves may hold the end of the program.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(50);

/// Runs a future to its end on a small runtime, and does not wait for stuck threads afterwards.
///
/// From here on this process is the parent of whatever its commands leave behind.
pub(crate) fn run<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> anyhow::Result<T> {
    // Where the system has no such thing, strays are found by what else is known of them.
    deed_env::process::become_subreaper().ok();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(blocking_threads())
        .thread_name("deed")
        .enable_all()
        .build()
        .context("cannot start the threads of the program")?;
    // On a worker, so that tasks which take turns need not cross threads.
    let done = runtime.block_on(async { tokio::spawn(future).await });
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    done.context("the program failed inside; this is a fault of deed, please report it")
}

/// Lets all threads allocate from one heap.
///
/// Otherwise glibc gives each thread a heap of its own, and grows it page by page with a call of the
/// system for each: a fifth of the time of a turn. Small blocks come from caches of the threads all
/// the same.
pub(crate) fn share_one_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(
        unsafe_code,
        reason = "the C library sets its allocator by a foreign function"
    )]
    // SAFETY: takes two numbers, keeps nothing, and no other thread runs yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Runs a future that does little on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    Ok(runtime
        .context("cannot start the runtime")?
        .block_on(future))
}

fn blocking_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
    BLOCKING_THREADS_A_CORE * cores.max(2)
}
