//! Processes: real shells through the public surface.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use deed_env::EnvError;
use deed_env::process::{
    Ending, ExitReport, GRACE, OutputSink, OutputStream, ProcessSpec, Spawner, command_environment,
};
use tokio_util::sync::CancellationToken;

mod background;
mod ending;
mod environment;
mod live;
mod output;
mod starting;
mod subreaper;

/// What a command printed.
#[derive(Clone, Debug, Default)]
struct Printed {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    ended: u32,
}

impl Printed {
    fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Keeps everything, where the test can look at it while the command runs.
#[derive(Clone, Debug, Default)]
struct Recorder(Arc<Mutex<Printed>>);

impl Recorder {
    fn printed(&self) -> Printed {
        self.0.lock().unwrap().clone()
    }

    /// Waits until standard output has a whole first line and returns it.
    async fn first_line(&self) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some((line, _)) = self.printed().out().split_once('\n') {
                return line.to_owned();
            }
            assert!(Instant::now() < deadline, "no line came");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl OutputSink for Recorder {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        let mut printed = self.0.lock().unwrap();
        match stream {
            OutputStream::Stdout => printed.stdout.extend_from_slice(bytes),
            OutputStream::Stderr => printed.stderr.extend_from_slice(bytes),
        }
    }

    fn end(&mut self) {
        self.0.lock().unwrap().ended += 1;
    }
}

fn spawner() -> Spawner {
    Spawner::new(command_environment(std::env::vars_os(), &[]))
}

fn bash(command: &str) -> ProcessSpec {
    ProcessSpec {
        program: PathBuf::from("bash"),
        args: vec![OsString::from("-c"), OsString::from(command)],
        cwd: std::env::temp_dir(),
        env: Vec::new(),
        timeout: None,
        stdin: Vec::new(),
        grace: GRACE,
    }
}

fn within(mut spec: ProcessSpec, timeout: Duration) -> ProcessSpec {
    spec.timeout = Some(timeout);
    spec
}

async fn run_on(spawner: &Spawner, spec: ProcessSpec) -> (Result<ExitReport, EnvError>, Printed) {
    let recorder = Recorder::default();
    let sink = Box::new(recorder.clone());
    let result = spawner.run(spec, sink, &CancellationToken::new()).await;
    (result, recorder.printed())
}

async fn run(spec: ProcessSpec) -> (ExitReport, Printed) {
    let (result, printed) = run_on(&spawner(), spec).await;
    (result.unwrap(), printed)
}

/// Says whether a process runs; one that waits to be collected does not.
fn is_running(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit_once(')')
            .unwrap()
            .1
            .trim_start()
            .starts_with('Z')
    })
}

/// Waits until a process has ended, which init may need a moment to notice.
async fn wait_gone(pid: u32) {
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_running(pid) {
        assert!(Instant::now() < deadline, "{pid} still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Reads numbers that a command wrote, one a line.
fn numbers(text: &str) -> Vec<u32> {
    text.lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect()
}
