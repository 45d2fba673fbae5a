use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deed_cards::CardText;
use tokio::task::JoinHandle;

use super::Look;
use crate::writer::Writer;

/// How often the line of running calls is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// How long a call runs before it is worth a line.
const WORTH_SHOWING: Duration = Duration::from_millis(400);

/// Draws one line about the calls that run, over itself, while somebody watches.
pub(super) struct LiveLine {
    running: Arc<Mutex<Vec<Running>>>,
    ticker: Option<JoinHandle<()>>,
}

struct Running {
    call_id: Arc<str>,
    what: String,
    since: Instant,
    last_line: String,
}

impl LiveLine {
    pub(super) fn new(writer: Writer, look: &Look) -> Self {
        let running: Arc<Mutex<Vec<Running>>> = Arc::default();
        let ticker = look.is_terminal.then(|| {
            let (running, look) = (running.clone(), look.clone());
            tokio::spawn(async move {
                let mut frames = tokio::time::interval(FRAME);
                loop {
                    frames.tick().await;
                    let mut running = lock(&running);
                    if look.has_question() {
                        // What waits for a person does not run yet.
                        running
                            .iter_mut()
                            .for_each(|one| one.since = Instant::now());
                    } else if let Some(line) = line_of(&running, &look) {
                        writer.status(line);
                    }
                }
            })
        });
        Self { running, ticker }
    }

    pub(super) fn started(&self, call_id: &Arc<str>, what: String) {
        let call_id = call_id.clone();
        let (since, last_line) = (Instant::now(), String::new());
        lock(&self.running).push(Running {
            call_id,
            what,
            since,
            last_line,
        });
    }

    pub(super) fn updated(&self, call_id: &str, text: &str) {
        let last = text
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        if let Some(one) = lock(&self.running)
            .iter_mut()
            .find(|one| *one.call_id == *call_id)
        {
            one.last_line = last.trim().to_owned();
        }
    }

    pub(super) fn ended(&self, call_id: &str) {
        let mut running = lock(&self.running);
        if let Some(at) = running.iter().position(|one| *one.call_id == *call_id) {
            running.remove(at);
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        if let Some(ticker) = &self.ticker {
            ticker.abort();
        }
    }
}

fn lock(running: &Mutex<Vec<Running>>) -> MutexGuard<'_, Vec<Running>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says how long the oldest call has run and what it printed last; the time stands first and the
/// call gives way, so that a long command hides neither.
fn line_of(running: &[Running], look: &Look) -> Option<String> {
    let oldest = running
        .first()
        .filter(|one| one.since.elapsed() >= WORTH_SHOWING)?;
    let seconds = oldest.since.elapsed().as_secs_f32();
    let calls = match running.len() {
        1 => String::new(),
        count => format!(", {count} calls"),
    };
    let whole = look.card_text();
    let half = CardText {
        width: whole.width / 2,
        colour: false,
        ..whole.clone()
    };
    let what = deed_cards::one_line(&oldest.what, &half);
    let line = format!("{seconds:.1} s{calls}  {what}  {}", oldest.last_line);
    Some(deed_cards::one_line(line.trim_end(), &whole))
}
