//! Why an answer ended, in Google's words.

use deed_protocol::{ErrorKind, StopReason};

use crate::fault::Fault;

/// What a reason means.
#[derive(Clone, Copy)]
enum Meaning {
    /// The answer is whole, or as long as it may be.
    Stop(Whole),
    /// There is no answer that could be used.
    Fault(ErrorKind, &'static str),
}

#[derive(Clone, Copy)]
enum Whole {
    Done,
    Cut,
}

const FILTERED: &str = "its filter stopped the answer; ask in other words, or ask another model";
const BROKEN_CALL: &str = "the model wrote a tool call that cannot be read; send the request again";

/// The reasons that are known.
///
/// Source: `FinishReason` of the Gemini API.
const REASONS: &[(&str, Meaning)] = &[
    ("STOP", Meaning::Stop(Whole::Done)),
    ("MAX_TOKENS", Meaning::Stop(Whole::Cut)),
    ("SAFETY", Meaning::Fault(ErrorKind::Other, FILTERED)),
    ("IMAGE_SAFETY", Meaning::Fault(ErrorKind::Other, FILTERED)),
    ("BLOCKLIST", Meaning::Fault(ErrorKind::Other, FILTERED)),
    (
        "PROHIBITED_CONTENT",
        Meaning::Fault(ErrorKind::Other, FILTERED),
    ),
    ("SPII", Meaning::Fault(ErrorKind::Other, FILTERED)),
    (
        "RECITATION",
        Meaning::Fault(
            ErrorKind::Other,
            "the answer repeated a text that is under copyright; ask in other words",
        ),
    ),
    (
        "LANGUAGE",
        Meaning::Fault(
            ErrorKind::Other,
            "the model does not know this language; ask in another",
        ),
    ),
    // The next try is likely to be well formed, so these count as faults of the provider.
    (
        "MALFORMED_FUNCTION_CALL",
        Meaning::Fault(ErrorKind::Server, BROKEN_CALL),
    ),
    (
        "UNEXPECTED_TOOL_CALL",
        Meaning::Fault(
            ErrorKind::Server,
            "the model called a tool although none is there; send the request again",
        ),
    ),
    (
        "MALFORMED_RESPONSE",
        Meaning::Fault(
            ErrorKind::Server,
            "the answer cannot be read; send the request again",
        ),
    ),
    (
        "TOO_MANY_TOOL_CALLS",
        Meaning::Fault(
            ErrorKind::Other,
            "the model called too many tools one after the other; say what it should do next",
        ),
    ),
    (
        "MISSING_THOUGHT_SIGNATURE",
        Meaning::Fault(
            ErrorKind::InvalidRequest,
            "a signature of an earlier thought is missing; start a new session or switch the model",
        ),
    ),
    (
        "OTHER",
        Meaning::Fault(
            ErrorKind::Server,
            "the answer was stopped for a reason that is not told; send the request again",
        ),
    ),
];

/// Returns what the reason means for the answer.
///
/// Errors: the answer cannot be used.
pub(super) fn stop(provider: &str, reason: &str, said: &str) -> Result<StopReason, Fault> {
    let row = REASONS.iter().find(|(known, _)| *known == reason);
    match row.map(|(_, meaning)| *meaning) {
        Some(Meaning::Stop(Whole::Done)) => Ok(StopReason::Stop),
        Some(Meaning::Stop(Whole::Cut)) => Ok(StopReason::Length),
        Some(Meaning::Fault(kind, words)) => {
            Err(Fault::new(kind, sentence(provider, words, reason, said)))
        }
        None => Err(Fault::new(
            ErrorKind::Other,
            sentence(provider, "the answer was stopped", reason, said),
        )),
    }
}

/// Makes the fault of a prompt that was not even answered.
pub(super) fn blocked(provider: &str, reason: &str, said: &str) -> Fault {
    let words = "its filter does not let this request through; ask in other words";
    Fault::new(ErrorKind::Other, sentence(provider, words, reason, said))
}

fn sentence(provider: &str, words: &str, reason: &str, said: &str) -> String {
    if said.is_empty() {
        format!("{provider}: {words} ({reason})")
    } else {
        format!("{provider}: {words} ({reason}: {said})")
    }
}
