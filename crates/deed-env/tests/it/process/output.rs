//! What commands print.

use super::*;

/// Counts and forgets.
#[derive(Clone, Default)]
struct Counter(Arc<std::sync::atomic::AtomicU64>);

impl OutputSink for Counter {
    fn chunk(&mut self, _: OutputStream, bytes: &[u8]) {
        self.0
            .fetch_add(bytes.len() as u64, std::sync::atomic::Ordering::Relaxed);
    }
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    let kib: u64 = line
        .split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    kib * 1024
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test]
async fn streams_are_told_apart_and_complete() {
    let (report, printed) = run(bash("seq 1 20000; seq 1 20000 >&2; echo last")).await;
    assert_eq!(report.ending, Ending::Exited(0));
    let lines: String = (1..=20_000).map(|line| format!("{line}\n")).collect();
    assert_eq!(printed.err(), lines);
    assert_eq!(printed.out(), format!("{lines}last\n"));
    assert_eq!(printed.ended, 1);
}

#[test]
fn b052_memory_stays_flat_whatever_is_printed() {
    super::subreaper::in_own_process("much_output");
}

pub(super) async fn much_output() {
    let spawner = spawner();
    let (warm, _) = run_on(&spawner, bash("head -c 4000000 /dev/zero")).await;
    assert_eq!(warm.unwrap().ending, Ending::Exited(0));
    let before = resident_bytes();
    let counter = Counter::default();
    let spec = bash("yes | head -c 300000000; exit ${PIPESTATUS[0]}");
    let report = spawner
        .run(spec, Box::new(counter.clone()), &CancellationToken::new())
        .await;
    // `yes` was ended by the broken pipe, which works only if SIGPIPE is not ignored.
    assert_eq!(report.unwrap().ending, Ending::Exited(141));
    assert_eq!(
        counter.0.load(std::sync::atomic::Ordering::Relaxed),
        300_000_000
    );
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 8 * 1024 * 1024, "grew by {grown} bytes");
}

#[tokio::test]
async fn b059_output_through_a_process_substitution_is_complete() {
    let spec = within(bash("exec > >(cat -n); echo done"), Duration::from_secs(20));
    let (report, printed) = run(spec).await;
    assert_eq!(report.ending, Ending::Exited(0));
    assert_eq!(printed.out(), "     1\tdone\n");
    assert!(
        report.elapsed < Duration::from_secs(5),
        "{:?}",
        report.elapsed
    );
}

#[tokio::test]
async fn output_after_the_programs_end_is_awaited_while_it_comes() {
    // A shell writes line by line, for longer than the quiet that would end the call.
    let command = "(for ((i = 1; i <= 60000; i++)); do echo $i; done) & exit 0";
    let (report, printed) = run(bash(command)).await;
    assert_eq!(report.ending, Ending::Exited(0));
    assert!(printed.out().ends_with("\n59999\n60000\n"));
    assert_eq!(printed.out().lines().count(), 60_000);
    assert_eq!(report.left_running, []);
}

/// Descriptors and children belong to the whole process, so this looks at one of its own.
#[test]
fn b070_descriptors_and_children_stay_constant_over_five_hundred_runs() {
    super::subreaper::in_own_process("five_hundred_runs");
}

pub(super) async fn five_hundred_runs() {
    let spawner = spawner();
    let spec = bash("seq 1 3000");
    run_on(&spawner, spec.clone()).await.0.unwrap();
    let before = open_descriptors();
    for _ in 0..500 {
        let (report, printed) = run_on(&spawner, spec.clone()).await;
        assert_eq!(report.unwrap().ending, Ending::Exited(0));
        assert_eq!(printed.out().lines().count(), 3000);
        assert_eq!(open_descriptors(), before);
    }
    assert_eq!(super::subreaper::children_of_self(), Vec::<u32>::new());
    assert_eq!(spawner.running(), []);
}

#[tokio::test]
async fn a_sink_that_panics_ends_the_command_and_nothing_else() {
    struct Bomb(Recorder);
    impl OutputSink for Bomb {
        fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
            self.0.chunk(stream, bytes);
            panic!("the sink's own fault");
        }
    }
    let spawner = spawner();
    let recorder = Recorder::default();
    let sink = Box::new(Bomb(recorder.clone()));
    let spec = bash("echo $$; sleep 300");
    let result = spawner.run(spec, sink, &CancellationToken::new()).await;
    assert!(matches!(result, Err(EnvError::Io { .. })), "{result:?}");
    wait_gone(numbers(&recorder.printed().out())[0]).await;
    let (after, _) = run_on(&spawner, bash("exit 5")).await;
    assert_eq!(after.unwrap().ending, Ending::Exited(5));
}
