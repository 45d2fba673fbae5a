//! What only a process of its own can show: adopted strays, and counts of the whole process.

use super::*;

const SCENARIO: &str = "DEED_TEST_SCENARIO";

/// Runs one scenario in a fresh copy of this test program.
pub(super) fn in_own_process(scenario: &str) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::subreaper::scenario", "--nocapture"])
        .env(SCENARIO, scenario)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    assert!(text.contains(&format!("ran {scenario}")), "{text}");
}

/// Does nothing unless one of the tests started this program for a scenario.
#[test]
fn scenario() {
    let Ok(scenario) = std::env::var(SCENARIO) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        match &*scenario {
            "five_hundred_runs" => super::output::five_hundred_runs().await,
            "much_output" => super::output::much_output().await,
            "escapees" => escapees().await,
            "parallel_strays" => parallel_strays().await,
            "foreign_children" => foreign_children().await,
            other => panic!("no scenario {other}"),
        }
    });
    println!("ran {scenario}");
}

pub(super) fn children_of_self() -> Vec<u32> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| numbers(&list.replace(' ', "\n")))
        .collect()
}

#[test]
fn cancellation_reaches_a_double_setsid_that_ignores_term() {
    in_own_process("escapees");
}

async fn escapees() {
    deed_env::process::become_subreaper().unwrap();
    let (spawner, cancel, recorder) = (spawner(), CancellationToken::new(), Recorder::default());
    let stubborn = "trap \"\" TERM; echo $$; exec > /dev/null 2>&1; while :; do sleep 0.1; done";
    let command = format!("(setsid setsid bash -c '{stubborn}' &) ; sleep 300");
    let call = spawner.run(bash(&command), Box::new(recorder.clone()), &cancel);
    let cancelling = async {
        recorder.first_line().await;
        cancel.cancel();
    };
    let (report, ()) = tokio::join!(call, cancelling);
    let report = report.unwrap();
    assert_eq!(report.ending, Ending::Cancelled);
    assert_eq!(report.left_running, []);
    assert!(!is_running(numbers(&recorder.printed().out())[0]));
    assert_eq!(children_of_self(), Vec::<u32>::new(), "zombies stayed");
}

#[test]
fn strays_of_parallel_calls_are_collected_and_no_code_is_lost() {
    in_own_process("parallel_strays");
}

async fn parallel_strays() {
    deed_env::process::become_subreaper().unwrap();
    let spawner = Arc::new(spawner());
    let mut tasks = Vec::new();
    for worker in 0..4 {
        let spawner = Arc::clone(&spawner);
        tasks.push(tokio::spawn(async move {
            for round in 0..50 {
                let code = (worker * 50 + round) % 256;
                // The grandchild outlives its parent and ends as a child of this process.
                let command = format!("(setsid sleep 0.01 > /dev/null 2>&1 &); exit {code}");
                let (report, _) = run_on(&spawner, bash(&command)).await;
                assert_eq!(report.unwrap().ending, Ending::Exited(code));
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(spawner.end_all().await, []);
    assert_eq!(children_of_self(), Vec::<u32>::new(), "zombies stayed");
}

#[test]
fn children_of_other_libraries_are_left_to_them() {
    in_own_process("foreign_children");
}

async fn foreign_children() {
    deed_env::process::become_subreaper().unwrap();
    let mut foreign = std::process::Command::new("bash")
        .args(["-c", "exit 7"])
        .spawn()
        .unwrap();
    let is_zombie = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", foreign.id())).unwrap();
        stat.contains(") Z ")
    };
    while !is_zombie() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let spawner = spawner();
    // One that hides, so that the end of the session looks at every adopted process.
    let hide = "(env -i setsid sleep 300 > /dev/null 2>&1 & echo $!)";
    let (report, printed) = run_on(&spawner, bash(hide)).await;
    let pid = numbers(&printed.out())[0];
    let report = report.unwrap();
    assert_eq!(report.left_running.len(), 1, "{report:?}");
    assert_eq!(report.left_running[0].pid, pid);
    assert_eq!(spawner.end_all().await, []);
    assert!(!is_running(pid));
    assert_eq!(foreign.wait().unwrap().code(), Some(7));
}
