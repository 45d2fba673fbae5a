use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{TurnEnding, WeakAgent};
use deed_protocol::{AssistantMessage, ContentBlock, CustomMessage, Extra, Message, UserContent};
use serde_json::value::RawValue;

/// After so many equal turns in a row the model is told that nothing changes.
const TELL_AFTER: [u32; 4] = [3, 10, 30, 100];

/// Bounds of what a prompt may set off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLimits {
    /// Turns of one prompt.
    pub max_turns: Option<u32>,
    /// The cost of all answers since the session was opened, those of models inside tools too.
    ///
    /// Units: US dollars.
    pub max_cost_usd: Option<f64>,
    /// Turns in a row that make the very same calls and get the very same results. High by default:
    /// to wait for something by looking again and again is legitimate.
    pub max_equal_turns: Option<u32>,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_turns: None,
            max_cost_usd: None,
            max_equal_turns: Some(250),
        }
    }
}

/// Counts what a run has come to and ends it at its limits.
pub(crate) struct RunWatch {
    limits: RunLimits,
    now_ms: fn() -> i64,
    state: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    turns: u32,
    cost_usd: f64,
    last_turn: Vec<Call>,
    equal_turns: u32,
    ended_by: Option<String>,
    agent: Option<WeakAgent>,
}

/// What was called, with which arguments, as the model wrote them, and what came of it.
struct Call {
    name: Arc<str>,
    args: Arc<RawValue>,
    /// Of the result as the model reads it.
    result: u64,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.result == other.result
            && self.args.get() == other.args.get()
    }
}

fn hash_of(result: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    let content = result.as_tool_result().map(|result| &result.content);
    for block in content.into_iter().flatten() {
        match block {
            ContentBlock::Text(text) => text.text.hash(&mut hasher),
            ContentBlock::Image(image) => image.data.hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}

impl RunWatch {
    pub(crate) fn new(limits: RunLimits, now_ms: fn() -> i64) -> Self {
        Self {
            limits,
            now_ms,
            state: Mutex::default(),
        }
    }

    /// Says whom to tell that it goes in circles.
    pub(crate) fn watches(&self, agent: WeakAgent) {
        self.lock().agent = Some(agent);
    }

    /// Begins to count for a new prompt; the cost goes on.
    pub(crate) fn begin(&self) {
        let mut state = self.lock();
        state.turns = 0;
        state.equal_turns = 0;
        state.last_turn.clear();
        state.ended_by = None;
    }

    /// Returns which limit ended the run, in words for the person.
    pub(crate) fn ended_by(&self) -> Option<String> {
        self.lock().ended_by.clone()
    }

    /// Counts a turn; `false` if the run ends with it.
    pub(crate) fn turn_ended(&self, turn: &TurnEnding) -> bool {
        let Some(answer) = turn.message.as_assistant() else {
            return true;
        };
        let mut state = self.lock();
        state.count(answer, &turn.tool_results);
        let times = state.equal_turns;
        let agent = state.agent.clone().filter(|_| TELL_AFTER.contains(&times));
        // An answer without calls ends the run by itself.
        if !turn.tool_results.is_empty() {
            state.ended_by = self.limits.reached_by(&state);
        }
        let goes_on = state.ended_by.is_none();
        drop(state);
        if let Some(agent) = agent.and_then(|agent| agent.upgrade()).filter(|_| goes_on) {
            agent.queue_steering(repeated(times, (self.now_ms)()));
        }
        goes_on
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunLimits {
    fn reached_by(&self, counted: &Counted) -> Option<String> {
        let turns = counted.turns;
        if self.max_turns.is_some_and(|max| turns >= max) {
            return Some(format!(
                "the run was ended after {turns} turns, the limit (--max-turns, setting maxTurns); \
                 prompt again to go on"
            ));
        }
        let cost = counted.cost_usd;
        if self.max_cost_usd.is_some_and(|max| cost >= max) {
            return Some(format!(
                "the run was ended: it cost ${cost:.4}, and the limit is reached (--max-cost, \
                 setting maxCost)"
            ));
        }
        let equal = counted.equal_turns;
        if self.max_equal_turns.is_some_and(|max| equal >= max) {
            return Some(format!(
                "the run was ended: the model made the same calls {equal} times in a row, and nothing \
                 changed (setting repeatLimit)"
            ));
        }
        None
    }
}

impl Counted {
    fn count(&mut self, answer: &AssistantMessage, results: &[Arc<Message>]) {
        self.turns += 1;
        self.cost_usd += answer.usage.cost.total;
        let inner = results.iter().filter_map(|result| result.as_tool_result());
        self.cost_usd += inner
            .filter_map(|result| Some(result.usage.as_ref()?.cost.total))
            .sum::<f64>();
        let results = results.iter().map(|result| hash_of(result));
        let turn: Vec<_> = answer
            .tool_calls()
            .zip(results)
            .map(|(call, result)| Call {
                name: call.name.clone(),
                args: call.arguments.clone(),
                result,
            })
            .collect();
        if !turn.is_empty() && turn == self.last_turn {
            self.equal_turns += 1;
        } else {
            self.equal_turns = 1;
            self.last_turn = turn;
        }
    }
}

fn repeated(times: u32, now_ms: i64) -> Message {
    let text = format!(
        "You have made the very same tool calls {times} times in a row and got the very same \
         results. Do something else, or say what keeps you from going on."
    );
    Message::Custom(CustomMessage {
        custom_type: "deed.repeated_calls".to_owned(),
        content: UserContent::Text(text),
        display: true,
        details: None,
        timestamp: now_ms,
        extra: Extra::new(),
    })
}
