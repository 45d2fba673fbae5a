use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{RedactStream, Redactor};
use deed_env::ExecutionEnv;
use deed_env::process::{OutputSink, OutputStream};
use deed_tooling::{ShownTail, TailWindow, TextLimits};

use super::merge::Held;
use super::saved::{Saved, SavedOutput};

/// Hears what a command prints, as it comes.
type Listener = Box<dyn FnMut(&[u8]) + Send>;

/// What becomes of the output of a command: known secrets taken out of each stream, both streams
/// joined, all of it saved, its end kept to be shown.
pub(super) struct Capture(Arc<Mutex<State>>);

/// Output as it can be shown at some moment.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) tail: ShownTail,
    pub(super) saved: Saved,
}

impl Capture {
    pub(super) fn new(env: Arc<dyn ExecutionEnv>, stem: String, redactor: &dyn Redactor) -> Self {
        let stream = || Stream {
            redact: redactor.stream(),
            held: Held::default(),
        };
        Self(Arc::new(Mutex::new(State {
            stdout: stream(),
            stderr: stream(),
            record: Record {
                window: TailWindow::new(TextLimits::default()),
                saved: SavedOutput::new(env, stem),
                listener: None,
            },
            has_news: false,
        })))
    }

    /// Tells `listener` all that comes, as it is shown and saved, on the thread that reads it.
    pub(super) fn tells(&self, listener: Listener) {
        lock(&self.0).record.listener = Some(listener);
    }

    /// Returns what the environment hands the output to.
    pub(super) fn sink(&self) -> Box<dyn OutputSink> {
        Box::new(Sink(self.0.clone()))
    }

    /// Returns what there is to show, if anything came since it was last asked.
    pub(super) fn news(&self) -> Option<Output> {
        let mut state = lock(&self.0);
        std::mem::take(&mut state.has_news).then(|| Output {
            tail: state.record.window.peek(),
            saved: state.record.saved.whereabouts(),
        })
    }

    /// Returns all that came, and whether anything came since it was last asked.
    pub(super) fn finish(self) -> (Output, bool) {
        let mut state = lock(&self.0);
        state.end();
        state.record.listener = None;
        let window = TailWindow::new(TextLimits::default());
        let tail = std::mem::replace(&mut state.record.window, window).finish();
        if tail.truncation.truncated {
            // Written out, control characters take more room than they had.
            state.record.saved.spill();
        }
        let saved = state.record.saved.whereabouts();
        (Output { tail, saved }, state.has_news)
    }
}

struct Sink(Arc<Mutex<State>>);

impl OutputSink for Sink {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        lock(&self.0).take(stream, bytes);
    }

    fn end(&mut self) {
        lock(&self.0).end();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct State {
    stdout: Stream,
    stderr: Stream,
    record: Record,
    has_news: bool,
}

struct Stream {
    redact: Option<Box<dyn RedactStream>>,
    held: Held,
}

struct Record {
    window: TailWindow,
    saved: SavedOutput,
    listener: Option<Listener>,
}

impl State {
    fn take(&mut self, stream: OutputStream, bytes: &[u8]) {
        self.has_news = true;
        let Self {
            stdout,
            stderr,
            record,
            ..
        } = self;
        let stream = match stream {
            OutputStream::Stdout => stdout,
            OutputStream::Stderr => stderr,
        };
        let bytes = match &mut stream.redact {
            Some(redact) => redact.push(bytes),
            None => Cow::Borrowed(bytes),
        };
        stream.held.pass(&bytes, |piece| record.push(piece));
    }

    /// Lets out what was held back; a second time, nothing is.
    fn end(&mut self) {
        let Self {
            stdout,
            stderr,
            record,
            has_news,
        } = self;
        let before = record.window.total_bytes();
        for stream in [stdout, stderr] {
            if let Some(mut redact) = stream.redact.take() {
                let rest = redact.finish();
                stream.held.pass(&rest, |piece| record.push(piece));
            }
            stream.held.flush(|piece| record.push(piece));
        }
        *has_news |= record.window.total_bytes() > before;
    }
}

impl Record {
    fn push(&mut self, bytes: &[u8]) {
        self.window.push(bytes);
        self.saved.push(bytes, self.window.is_over_limits());
        if let Some(listener) = &mut self.listener {
            listener(bytes);
        }
    }
}
