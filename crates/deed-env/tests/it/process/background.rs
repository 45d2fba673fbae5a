//! What goes on running after its call.

use super::*;

#[tokio::test]
async fn a_background_child_does_not_hold_the_call_stays_alive_and_is_named() {
    let spawner = spawner();
    // It writes after the call's end, which would kill it if nobody read the pipe.
    let command = "(sleep 0.4; echo one; sleep 0.1; echo two; exec sleep 300) & echo $!; exit 0";
    let (report, printed) = run_on(&spawner, bash(command)).await;
    let report = report.unwrap();
    let pid = numbers(&printed.out())[0];
    assert_eq!(report.ending, Ending::Exited(0));
    assert!(
        report.elapsed < Duration::from_secs(2),
        "{:?}",
        report.elapsed
    );
    let named: Vec<u32> = report
        .left_running
        .iter()
        .map(|process| process.pid)
        .collect();
    assert_eq!(named, [pid]);
    assert_eq!(report.left_running[0].name, "bash");
    assert_eq!(printed.out(), format!("{pid}\n"));
    // It replaced itself, so it survived both writes.
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap() != "sleep\n" {
        assert!(Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(spawner.running().len(), 1);
    assert_eq!(spawner.end_all().await, []);
    wait_gone(pid).await;
    assert_eq!(spawner.running(), []);
}

#[tokio::test]
async fn a_background_child_that_closed_its_output_is_named_as_well() {
    let spawner = spawner();
    // The pause lets the child become `sleep`; until then it is a copy of the shell.
    let command = "sleep 300 > /dev/null 2>&1 & echo $!; sleep 0.2";
    let (report, printed) = run_on(&spawner, bash(command)).await;
    let pid = numbers(&printed.out())[0];
    let report = report.unwrap();
    assert_eq!(report.left_running.len(), 1, "{report:?}");
    assert_eq!(
        (report.left_running[0].pid, &*report.left_running[0].name),
        (pid, "sleep")
    );
    assert!(is_running(pid));
    drop(spawner);
    wait_gone(pid).await;
}

#[tokio::test]
async fn the_next_call_does_not_end_what_the_last_one_left() {
    let spawner = spawner();
    let (_, printed) = run_on(&spawner, bash("sleep 300 & echo $!")).await;
    let pid = numbers(&printed.out())[0];
    let spec = within(bash("sleep 300"), Duration::from_millis(200));
    let (report, _) = run_on(&spawner, spec).await;
    assert_eq!(
        report.unwrap().ending,
        Ending::TimedOut {
            exited_before: None
        }
    );
    assert!(is_running(pid));
    drop(spawner);
    wait_gone(pid).await;
}

#[tokio::test]
async fn the_end_of_the_session_asks_before_it_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let command = format!(
        "(trap 'echo asked > {}; exit 0' TERM; echo $BASHPID; while :; do sleep 0.05; done) &",
        mark.display()
    );
    let spawner = spawner();
    let (_, printed) = run_on(&spawner, bash(&command)).await;
    let pid = numbers(&printed.out())[0];
    assert_eq!(spawner.end_all().await, []);
    assert!(!is_running(pid));
    assert_eq!(std::fs::read_to_string(mark).unwrap(), "asked\n");
}

#[tokio::test]
async fn the_end_of_the_session_ends_running_calls() {
    let spawner = spawner();
    let recorder = Recorder::default();
    let cancel = CancellationToken::new();
    let call = spawner.run(
        bash("echo $$; sleep 300"),
        Box::new(recorder.clone()),
        &cancel,
    );
    let ending = async {
        recorder.first_line().await;
        spawner.end_all().await
    };
    let (report, left) = tokio::join!(call, ending);
    assert_eq!(report.unwrap().ending, Ending::Cancelled);
    assert_eq!(left, []);
    wait_gone(numbers(&recorder.printed().out())[0]).await;
}

#[tokio::test]
async fn a_daemon_that_left_the_session_is_ended_with_it() {
    let spawner = spawner();
    let command = "setsid sleep 300 > /dev/null 2>&1 & echo $!";
    let (_, printed) = run_on(&spawner, bash(command)).await;
    let pid = numbers(&printed.out())[0];
    assert!(is_running(pid));
    assert_eq!(spawner.end_all().await, []);
    wait_gone(pid).await;
}
