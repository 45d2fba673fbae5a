//! Time limits, cancellation, and the end of whole trees.

use super::*;

const SECOND: Duration = Duration::from_secs(1);
/// The limit, the two seconds of grace, and room for a slow machine.
const AT_MOST: Duration = Duration::from_secs(8);

#[tokio::test]
async fn b058_a_holder_that_left_the_session_is_ended_with_the_call() {
    let spec = within(bash("setsid sleep 300 & echo $!; sleep 300"), SECOND);
    let (report, printed) = run(spec).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert_eq!(report.left_running, []);
    // TERM ended everybody, so nobody waited for the grace period.
    assert!(report.elapsed < SECOND * 5 / 2, "{:?}", report.elapsed);
    wait_gone(numbers(&printed.out())[0]).await;
}

#[tokio::test]
async fn b058_a_holder_that_hides_where_it_is_from_is_found_by_the_pipe_it_holds() {
    // The subshell ends at once, so the sleeper has no parent, session, group or variable of ours.
    let hide = "(env -i setsid sleep 300 & echo $!); sleep 300";
    let (report, printed) = run(within(bash(hide), SECOND)).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert_eq!(report.left_running, []);
    wait_gone(numbers(&printed.out())[0]).await;
}

#[tokio::test]
async fn b058_a_stranger_that_holds_the_pipe_neither_blocks_the_call_nor_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (go, ready) = (folder.path().join("go"), folder.path().join("ready"));
    for fifo in [&go, &ready] {
        let made = std::process::Command::new("mkfifo")
            .arg(fifo)
            .status()
            .unwrap();
        assert!(made.success());
    }
    // Older than the command: it opens the command's pipe when it is told the number.
    let script = format!(
        "read pid < {}; exec 9>/proc/$pid/fd/2; echo held > {}; exec sleep 300",
        go.display(),
        ready.display()
    );
    // In a session of its own, as somebody else's processes are.
    let mut stranger = std::process::Command::new("setsid")
        .args(["bash", "-c", &script])
        .spawn()
        .unwrap();
    // A process's age counts in hundredths of a second.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let command = format!(
        "echo $$ > {}; read x < {}; sleep 300",
        go.display(),
        ready.display()
    );
    let (report, _) = run(within(bash(&command), SECOND)).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert!(report.elapsed < AT_MOST, "{:?}", report.elapsed);
    let left: Vec<u32> = report
        .left_running
        .iter()
        .map(|process| process.pid)
        .collect();
    assert_eq!(left, [stranger.id()]);
    assert_eq!(report.left_running[0].name, "sleep");
    assert!(is_running(stranger.id()));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[tokio::test]
async fn b061_a_loop_in_a_subshell_ends_with_the_time_limit() {
    let command = "echo $$ >&2; (echo $BASHPID >&2; while :; do echo t; sleep 0.1; done) | cat";
    let (report, printed) = run(within(bash(command), SECOND)).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert_eq!(report.left_running, []);
    assert!(printed.out().starts_with("t\nt\n"), "{printed:?}");
    let pids = numbers(&printed.err());
    assert_eq!(pids.len(), 2, "{printed:?}");
    for pid in pids {
        wait_gone(pid).await;
    }
}

#[tokio::test]
async fn b062_a_time_limit_says_that_the_program_had_already_exited() {
    let command = "(while :; do echo t; done) & echo $! >&2; exit 3";
    let (report, printed) = run(within(bash(command), SECOND)).await;
    let Ending::TimedOut {
        exited_before: Some((code, at)),
    } = report.ending
    else {
        panic!("{report:?}")
    };
    assert_eq!(code, 3);
    assert!(at < SECOND, "{at:?}");
    assert_eq!(report.left_running, []);
    wait_gone(numbers(&printed.err())[0]).await;
}

/// Pauses as long as the quiet that ends a call, so either end is right; none hides the code.
#[tokio::test]
async fn b062_the_programs_own_code_is_told_whoever_keeps_writing() {
    let command = "(while :; do echo t; sleep 0.1; done) & exit 3";
    let (report, _) = run(within(bash(command), SECOND)).await;
    match report.ending {
        Ending::Exited(3) => assert_eq!(report.left_running[0].name, "bash"),
        Ending::TimedOut {
            exited_before: Some((3, _)),
        } => assert_eq!(report.left_running, []),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn b064_a_command_that_ignores_term_is_killed_after_the_grace_period() {
    let spec = within(
        bash("trap '' TERM; echo $$; while :; do sleep 1; done"),
        SECOND,
    );
    let (report, printed) = run(spec).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert!(
        report.elapsed >= SECOND * 3 && report.elapsed < AT_MOST,
        "{:?}",
        report.elapsed
    );
    wait_gone(numbers(&printed.out())[0]).await;
}

#[tokio::test]
async fn a_command_may_clean_up_when_it_is_asked_to_end() {
    let spec = within(
        bash("trap 'echo cleaned; exit 0' TERM; sleep 300 & wait"),
        SECOND,
    );
    let (report, printed) = run(spec).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert_eq!(printed.out(), "cleaned\n");
    assert_eq!(printed.ended, 1);
}

#[tokio::test]
async fn how_long_a_command_may_clean_up_is_said_with_it() {
    let slow = |grace| ProcessSpec {
        grace,
        ..within(
            bash("trap 'sleep 3; echo cleaned; exit 0' TERM; sleep 300 & wait"),
            SECOND / 4,
        )
    };
    let (short, long) = tokio::join!(run(slow(SECOND / 4)), run(slow(SECOND * 60)));
    assert_eq!(short.1.out(), "");
    assert_eq!(long.1.out(), "cleaned\n");
}

#[tokio::test]
async fn a_stopped_command_is_ended_too() {
    let (report, _) = run(within(bash("kill -STOP $$"), SECOND)).await;
    assert_eq!(
        report.ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert!(report.elapsed < AT_MOST, "{:?}", report.elapsed);
}

#[tokio::test]
async fn cancellation_ends_the_tree_and_is_reported() {
    let (spawner, cancel, recorder) = (spawner(), CancellationToken::new(), Recorder::default());
    let spec = bash("echo $$; sleep 300 & echo $!; setsid sleep 300 & echo $!; wait");
    let call = spawner.run(spec, Box::new(recorder.clone()), &cancel);
    let cancelling = async {
        while numbers(&recorder.printed().out()).len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (report, ()) = tokio::join!(call, cancelling);
    let report = report.unwrap();
    assert_eq!(report.ending, Ending::Cancelled);
    assert_eq!(report.left_running, []);
    for pid in numbers(&recorder.printed().out()) {
        wait_gone(pid).await;
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_starts_starts_nothing() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let recorder = Recorder::default();
    let result = spawner()
        .run(bash("echo ran"), Box::new(recorder.clone()), &cancel)
        .await;
    assert!(matches!(result, Err(EnvError::Cancelled)), "{result:?}");
    assert_eq!(recorder.printed().out(), "");
}

#[tokio::test]
async fn a_dropped_call_ends_its_tree() {
    let (spawner, cancel, recorder) = (spawner(), CancellationToken::new(), Recorder::default());
    let spec = bash("setsid sleep 300 & echo $!; sleep 300 & echo $!; echo $$; wait");
    let call = spawner.run(spec, Box::new(recorder.clone()), &cancel);
    let started = async {
        while numbers(&recorder.printed().out()).len() < 3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    {
        tokio::pin!(call);
        tokio::select! {
            report = &mut call => panic!("{report:?}"),
            () = started => {}
        }
        assert_eq!(spawner.running().len(), 1);
    }
    for pid in numbers(&recorder.printed().out()) {
        wait_gone(pid).await;
    }
}
