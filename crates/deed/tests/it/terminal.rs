//! The program with a person at its terminal: input and output are files, the terminal is a pty.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use super::support::{Outcome, Sandbox, wait_for};

/// How long anything may take that takes milliseconds on a machine with nothing else to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// What stands at the end of a question.
pub(crate) const ANSWER: &str = "answer: ";

/// A terminal that nobody uses yet.
pub(crate) struct Screen {
    master: File,
    pieces: Receiver<Vec<u8>>,
    text: String,
    /// Up to where it was read.
    read: usize,
}

/// `deed exec` with a terminal of its own.
pub(crate) struct Seat {
    screen: Screen,
    child: Child,
    /// Where standard output goes, if not to the terminal.
    output: Option<PathBuf>,
}

/// What a run at a terminal left.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) code: i32,
    /// All that stood on the terminal, standard error included.
    pub(crate) screen: String,
    pub(crate) stdout: String,
}

impl Screen {
    fn new(columns: u16) -> (Self, File) {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let peer = ioctl_tiocgptpeer(&master, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let master = File::from(master);
        let (send, pieces) = channel();
        let mut reading = master.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // It ends with an error once nobody has the other end open.
            while let Ok(count) = reading.read(&mut bytes) {
                if count == 0 || send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = Self {
            master,
            pieces,
            text: String::new(),
            read: 0,
        };
        (screen, File::from(peer))
    }

    fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a text stands on the terminal behind the one waited for last.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        loop {
            if let Some(at) = self.text[self.read..].find(text) {
                self.read += at + text.len();
                return;
            }
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => self.text.push_str(&String::from_utf8_lossy(&piece)),
                Err(why) => panic!("waited in vain for {text:?} ({why}):\n{}", self.text),
            }
        }
    }

    fn rest(mut self) -> String {
        loop {
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => self.text.push_str(&String::from_utf8_lossy(&piece)),
                Err(RecvTimeoutError::Disconnected) => return self.text.replace("\r\n", "\n"),
                Err(RecvTimeoutError::Timeout) => panic!("the terminal stays open:\n{}", self.text),
            }
        }
    }
}

impl Seat {
    /// Starts `deed exec` with this input.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str], input: impl AsRef<[u8]>) -> Self {
        Self::start_after(sandbox, args, input, "")
    }

    /// Starts `deed exec` when some keys have been pressed already.
    pub(crate) fn start_after(
        sandbox: &Sandbox,
        args: &[&str],
        input: impl AsRef<[u8]>,
        keys: &str,
    ) -> Self {
        let deed = sandbox.command(&[&["exec"], args].concat());
        Self::start_command(sandbox, &deed, input, keys)
    }

    /// Starts `deed exec` with this input, and its output on the terminal.
    pub(crate) fn start_watched(sandbox: &Sandbox, args: &[&str], input: impl AsRef<[u8]>) -> Self {
        let deed = sandbox.command(&[&["exec"], args].concat());
        let (screen, peer) = Screen::new(80);
        Self::begin(sandbox, &deed, input, (screen, peer, None))
    }

    /// Starts a program at a terminal of 80 columns.
    pub(crate) fn start_command(
        sandbox: &Sandbox,
        program: &Command,
        input: impl AsRef<[u8]>,
        keys: &str,
    ) -> Self {
        let (mut screen, peer) = Screen::new(80);
        if !keys.is_empty() {
            screen.press(keys);
            // The terminal has it once it shows it.
            screen.wait_for(&keys.replace('\n', "\r\n"));
        }
        let output = Some(sandbox.tmp().join("out"));
        Self::begin(sandbox, program, input, (screen, peer, output))
    }

    fn begin(
        sandbox: &Sandbox,
        program: &Command,
        input: impl AsRef<[u8]>,
        (screen, peer, output): (Screen, File, Option<PathBuf>),
    ) -> Self {
        let input_path = sandbox.tmp().join("in");
        let output_path = output.clone().unwrap_or_else(|| "/dev/tty".into());
        std::fs::write(&input_path, input).unwrap();
        let mut command = Command::new("setsid");
        command
            .args(["--ctty", "bash", "--norc", "-c"])
            .arg("in=$1 out=$2; shift 2; exec \"$@\" <\"$in\" >\"$out\"")
            .arg("bash")
            .args([&input_path, &output_path])
            .arg(program.get_program())
            .args(program.get_args())
            .env_clear()
            .env("USER", "somebody")
            .current_dir(program.get_current_dir().unwrap())
            .stdin(Stdio::from(peer.try_clone().unwrap()))
            .stdout(Stdio::from(peer.try_clone().unwrap()))
            .stderr(Stdio::from(peer));
        for (name, value) in program.get_envs() {
            command.env(name, value.unwrap());
        }
        let child = command.spawn().unwrap();
        Self {
            screen,
            child,
            output,
        }
    }

    /// Waits until a text stands on the terminal behind the one waited for last.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        self.screen.wait_for(text);
        self
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.screen.press(keys);
        self
    }

    /// Waits for a question and answers it.
    #[track_caller]
    pub(crate) fn answer(&mut self, line: &str) -> &mut Self {
        self.wait_for(ANSWER).press(&format!("{line}\n"))
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Left {
        Left {
            code: {
                wait_for("the end of deed", || {
                    self.child.try_wait().unwrap().is_some()
                });
                self.child.wait().unwrap().code().unwrap_or(-1)
            },
            screen: self.screen.rest(),
            stdout: self
                .output
                .map_or_else(String::new, |path| std::fs::read_to_string(path).unwrap()),
        }
    }
}

impl Left {
    /// Returns the results, of which standard output consists.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let lines = self.stdout.lines();
        let result = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        lines.map(|line| Outcome(result(line))).collect()
    }

    /// Returns the only result.
    #[track_caller]
    pub(crate) fn only(&self) -> Outcome {
        let mut outcomes = self.outcomes();
        assert_eq!(outcomes.len(), 1, "{self:?}");
        outcomes.remove(0)
    }

    /// Counts the questions.
    pub(crate) fn questions(&self) -> usize {
        self.screen.matches("deed asks: ").count()
    }
}
