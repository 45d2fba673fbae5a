//! The program in folders of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take that takes milliseconds on a machine with nothing else to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// A home, a working folder and a folder for temporary files that nobody else uses.
pub(crate) struct Sandbox {
    root: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home", "work", "tmp"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Returns a path in the working folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Prepares the program in the working folder, with nothing of the test's own environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deed"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.home())
            .env("TMPDIR", self.tmp())
            .env("LANG", "C.UTF-8")
            .current_dir(self.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Prepares the program where there is no terminal, whoever runs the tests.
    pub(crate) fn unattended(&self, args: &[&str]) -> Command {
        let deed = self.command(args);
        let mut command = Command::new("setsid");
        command
            .arg("--wait")
            .arg(deed.get_program())
            .args(deed.get_args())
            .env_clear()
            .current_dir(self.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in deed.get_envs() {
            command.env(name, value.unwrap());
        }
        command
    }

    /// Runs the program to its end.
    pub(crate) fn deed(&self, args: &[&str]) -> Ran {
        run(&mut self.command(args), b"")
    }

    /// Runs `deed exec` with this input.
    pub(crate) fn exec(&self, input: impl AsRef<[u8]>) -> Ran {
        self.exec_with(&[], input)
    }

    pub(crate) fn exec_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        run(&mut self.command(&with_exec(args)), input.as_ref())
    }

    /// Runs `deed exec` with this input where no file may grow beyond so many kilobytes.
    pub(crate) fn exec_with_small_files(&self, max_kilobytes: u32, input: &str) -> Ran {
        let script = format!("ulimit -f {max_kilobytes} && exec \"$0\" exec");
        let mut command = Command::new("bash");
        let deed = self.command(&[]);
        command
            .args(["-c", &script])
            .arg(deed.get_program())
            .env_clear();
        for (name, value) in deed.get_envs() {
            command.env(name, value.unwrap());
        }
        command
            .current_dir(self.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        run(&mut command, input.as_bytes())
    }

    /// Starts `deed exec` and leaves its input open.
    pub(crate) fn start_exec(&self, args: &[&str]) -> Running {
        Running::start(&mut self.command(&with_exec(args)))
    }

    /// Reads a process number that a command writes to a file, once it is there.
    pub(crate) fn pid_in(&self, name: &str) -> Pid {
        let path = self.path(name);
        let read = || fs::read_to_string(&path).ok()?.trim().parse().ok();
        wait_for(name, || read().is_some());
        Pid::from_raw(read().unwrap()).unwrap()
    }

    /// Puts `ROOT` in place of the folder that all others are in.
    pub(crate) fn steady(&self, text: &str) -> String {
        text.replace(&self.root.path().display().to_string(), "ROOT")
    }

    /// Lists home, working folder and the folder for temporary files, with what the files hold.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(self.root.path(), &mut found);
        found
    }
}

fn with_exec<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["exec"], args].concat()
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
            found.insert(path, Vec::new());
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Returns the output lines as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns the only output line as a result.
    #[track_caller]
    pub(crate) fn only(&self) -> Outcome {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:?}");
        Outcome(lines.remove(0))
    }

    /// Returns all output lines as results.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        self.lines().into_iter().map(Outcome).collect()
    }

    /// Asserts that nothing was said and the run ended well.
    #[track_caller]
    pub(crate) fn assert_clean(&self) -> &Self {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        self
    }
}

/// A `toolResult` message.
#[derive(Debug)]
pub(crate) struct Outcome(pub(crate) Value);

impl Outcome {
    pub(crate) fn id(&self) -> &str {
        self.0["toolCallId"].as_str().unwrap()
    }

    pub(crate) fn is_error(&self) -> bool {
        self.0["isError"].as_bool().unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        self.0["content"][0]["text"].as_str().unwrap()
    }
}

/// Runs a command to its end with this input.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Ran {
    let mut running = Running::start(command);
    running.say(input);
    running.end()
}

/// A run that goes on.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    stderr: JoinHandle<String>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(BufReader::new),
            stderr: std::thread::spawn(move || {
                let mut text = String::new();
                stderr.read_to_string(&mut text).unwrap();
                text
            }),
            child,
        }
    }

    /// Writes to its input, which stays open. Whether it reads all of it is its own affair.
    pub(crate) fn say(&mut self, input: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(input).and_then(|()| stdin.flush()).ok();
    }

    /// Ends its input.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Reads one line of its output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    /// Closes the reading end of its output.
    pub(crate) fn stop_reading(&mut self) {
        self.stdout = None;
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end while the input stays open, and reads nothing.
    pub(crate) fn wait(&mut self) -> i32 {
        wait_for("the end of deed", || !self.is_running());
        let status = self.child.wait().unwrap();
        status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or_default())
    }

    /// Closes the input, reads the rest of the output and waits for the end.
    pub(crate) fn end(mut self) -> Ran {
        self.stdin = None;
        let mut stdout = String::new();
        if let Some(mut rest) = self.stdout.take() {
            rest.read_to_string(&mut stdout).unwrap();
        }
        let code = self.wait();
        Ran {
            code,
            stdout,
            stderr: self.stderr.join().unwrap(),
        }
    }

    /// Reads the rest of the output and waits for the end while the input stays open.
    pub(crate) fn end_by_itself(mut self) -> Ran {
        let stdin = self.stdin.take();
        self.stdin = None;
        let mut stdout = String::new();
        if let Some(mut rest) = self.stdout.take() {
            rest.read_to_string(&mut stdout).unwrap();
        }
        let code = self.wait();
        drop(stdin);
        Ran {
            code,
            stdout,
            stderr: self.stderr.join().unwrap(),
        }
    }
}

/// Waits until something holds.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Says whether a process runs; one that only waits to be collected does not.
pub(crate) fn is_alive(pid: Pid) -> bool {
    match fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())) {
        Ok(stat) => !stat.rsplit_once(") ").unwrap().1.starts_with(['Z', 'X']),
        Err(_) => !Path::new("/proc/self").exists() && test_kill_process(pid).is_ok(),
    }
}

/// Makes a call of `bash`.
pub(crate) fn bash(command: &str) -> Value {
    serde_json::json!({"name": "bash", "arguments": {"command": command}})
}
