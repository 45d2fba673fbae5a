//! Signals: every call is answered, no process stays, and the second signal ends at once.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::support::{Running, Sandbox, bash, is_alive, run, wait_for};

fn running(sandbox: &Sandbox, command: &str) -> Running {
    let mut running = sandbox.start_exec(&[]);
    running.say(format!("{}\n", bash(command)).as_bytes());
    running
}

#[test]
fn a_signal_ends_the_running_command_and_its_result_is_written() {
    let signals = [
        (Signal::TERM, 143),
        (Signal::INT, 130),
        (Signal::HUP, 129),
        (Signal::QUIT, 131),
    ];
    for (signal, code) in signals {
        let sandbox = Sandbox::new();
        // A grandchild keeps running in the foreground, another in the background.
        let mut running = running(
            &sandbox,
            "echo begun; sleep 300 & echo $! > background; \
             bash -c 'echo $$ > grandchild; sleep 300; true'; touch survived",
        );
        let processes = [sandbox.pid_in("background"), sandbox.pid_in("grandchild")];
        running.say(format!("{}\n", bash("touch never")).as_bytes());
        running.signal(signal);
        let ran = running.end_by_itself();
        assert_eq!(ran.code, code, "{ran:?}");
        let outcome = ran.only();
        assert!(outcome.is_error());
        assert!(outcome.text().starts_with("begun\n"), "{outcome:?}");
        assert!(outcome.text().contains("abort"), "{outcome:?}");
        for pid in processes {
            assert!(!is_alive(pid), "{signal:?} left a process");
        }
        assert!(!sandbox.path("survived").exists());
        assert!(!sandbox.path("never").exists());
    }
}

#[test]
fn the_first_signal_says_that_a_second_one_stops_at_once() {
    let sandbox = Sandbox::new();
    let stopped = |signal| {
        let running = running(&sandbox, "echo $$ > pid; exec sleep 300");
        sandbox.pid_in("pid");
        running.signal(signal);
        let said = running.end().stderr;
        std::fs::remove_file(sandbox.path("pid")).unwrap();
        said
    };
    insta::assert_snapshot!(stopped(Signal::INT), @"deed: stopping; press Ctrl-C again to stop at once");
    insta::assert_snapshot!(stopped(Signal::TERM), @"deed: stopping; a second signal stops at once");
}

#[test]
fn a_command_that_ignores_term_is_killed_after_two_seconds() {
    let sandbox = Sandbox::new();
    let running = running(
        &sandbox,
        "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done",
    );
    let pid = sandbox.pid_in("pid");
    running.signal(Signal::TERM);
    let ran = running.end();
    assert_eq!(ran.code, 143);
    assert!(ran.only().is_error());
    assert!(!is_alive(pid));
}

#[test]
fn the_second_signal_does_not_wait_for_a_command_that_ignores_the_first() {
    let sandbox = Sandbox::new();
    let mut running = running(
        &sandbox,
        "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done",
    );
    let pid = sandbox.pid_in("pid");
    let began = Instant::now();
    // Two of one kind at once would count as one.
    running.signal(Signal::TERM);
    running.signal(Signal::INT);
    let code = running.wait();
    assert!(code == 130 || code == 143, "{code}");
    // Without the second one, two seconds pass before the command is killed.
    assert!(began.elapsed() < Duration::from_millis(1900));
    assert!(!is_alive(pid));
}

#[test]
fn a_signal_while_waiting_for_input_ends_the_program() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start_exec(&[]);
    running.say(bash("echo 1").to_string().as_bytes());
    assert!(running.line().contains("toolResult"));
    running.signal(Signal::INT);
    let ran = running.end_by_itself();
    assert_eq!((ran.code, ran.stdout.as_str()), (130, ""));
}

#[test]
fn what_a_command_left_in_the_background_ends_with_the_program() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec(bash("sleep 300 >/dev/null 2>&1 & echo $! > pid").to_string());
    assert!(!ran.assert_clean().only().is_error());
    assert!(!is_alive(sandbox.pid_in("pid")));
}

/// A daemon: two forks, a session of its own, no variables that tell where it is from, no pipe.
#[cfg(target_os = "linux")]
const DAEMON: &str = "(setsid env -i bash -c \
    'trap \"\" TERM HUP; echo $$ > stray; while :; do sleep 0.1; done' \
    >/dev/null 2>&1 </dev/null &) ; until [ -s stray ]; do sleep 0.02; done";

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_that_hid_everything_ends_with_the_program() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec(bash(DAEMON).to_string());
    assert!(!ran.assert_clean().only().is_error());
    let stray = sandbox.pid_in("stray");
    wait_for("the daemon to end", || !is_alive(stray));
}

#[test]
#[cfg(target_os = "linux")]
fn a_cancelled_command_leaves_no_daemon() {
    let sandbox = Sandbox::new();
    let running = running(&sandbox, &format!("{DAEMON}; sleep 300"));
    let stray = sandbox.pid_in("stray");
    assert!(is_alive(stray));
    running.signal(Signal::TERM);
    let ran = running.end();
    assert_eq!(ran.code, 143);
    assert!(!is_alive(stray), "the daemon outlived the program");
}

#[test]
fn a_reader_that_does_not_read_cannot_hold_up_a_signal() {
    let sandbox = Sandbox::new();
    sandbox.write("big", "0123456789abcde\n".repeat(2000));
    let call = "{\"name\":\"read\",\"arguments\":{\"path\":\"big\"}}\n";
    let mut running = running(&sandbox, "sleep 300 >/dev/null 2>&1 & echo $! > pid");
    let background = sandbox.pid_in("pid");
    sandbox.write("calls", call.repeat(300));
    running.say(call.repeat(300).as_bytes());
    running.signal(Signal::TERM);
    assert_eq!(running.wait(), 143);
    assert!(!is_alive(background));
}

#[test]
fn a_stopped_demo_leaves_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.everything();
    let mut running = Running::start(&mut sandbox.command(&["demo"]));
    while !running.line().contains("deed") {}
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.code, 130, "{ran:?}");
    assert_eq!(sandbox.everything(), before);
    // And it can be run again.
    run(&mut sandbox.command(&["demo"]), b"").assert_clean();
}
