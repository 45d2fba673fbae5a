//! Programs that are fed and signalled while they run.

use std::io::Write as _;
use std::sync::mpsc::{Sender, channel};

use deed_env::process::{Ending, LiveProcess, OutputSink, OutputStream};
use tokio_util::sync::CancellationToken;

use super::{bash, spawner};

struct Talker {
    started: Sender<LiveProcess>,
    said: Sender<String>,
}

impl OutputSink for Talker {
    fn started(&mut self, program: LiveProcess) {
        self.started.send(program).unwrap();
    }

    fn feeds_input(&self) -> bool {
        true
    }

    fn chunk(&mut self, _: OutputStream, bytes: &[u8]) {
        self.said
            .send(String::from_utf8_lossy(bytes).into_owned())
            .unwrap();
    }
}

#[tokio::test]
async fn a_program_is_fed_while_it_runs_and_ends_with_its_input() {
    let (started, programs) = channel::<LiveProcess>();
    let (said, lines) = channel();
    let talking = std::thread::spawn(move || {
        let mut program = programs.recv().unwrap();
        let mut input = program.take_input().unwrap();
        assert!(program.take_input().is_none());
        for line in ["one\n", "two\n"] {
            input.write_all(line.as_bytes()).unwrap();
            assert_eq!(lines.recv().unwrap(), line);
        }
        program.pid()
    });
    let sink = Box::new(Talker { started, said });
    let spec = bash("exec cat");
    let report = spawner().run(spec, sink, &CancellationToken::new()).await;
    assert_eq!(report.unwrap().ending, Ending::Exited(0));
    assert!(talking.join().unwrap() > 1);
}

#[tokio::test]
async fn a_signal_reaches_the_program_alone_or_its_group() {
    for (to_group, expected) in [(false, Ending::Exited(7)), (true, Ending::Signalled(15))] {
        let (started, programs) = channel::<LiveProcess>();
        let (said, lines) = channel();
        let signalling = std::thread::spawn(move || {
            let program = programs.recv().unwrap();
            lines.recv().unwrap();
            program.signal(if to_group { 15 } else { 10 }, to_group);
            program
        });
        let sink = Box::new(Talker { started, said });
        let spec = bash("trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done");
        let report = spawner().run(spec, sink, &CancellationToken::new()).await;
        assert_eq!(report.unwrap().ending, expected);
        // To one that has ended nothing is sent.
        signalling.join().unwrap().signal(9, true);
    }
}
