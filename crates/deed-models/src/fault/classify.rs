//! Which kind of fault a provider means.

use deed_protocol::ErrorKind;

/// Phrases, in lower case, by which servers say that the transcript does not fit.
const OVERFLOW: &[&str] = &[
    // OpenAI, DeepSeek, OpenRouter, vLLM, Mistral
    "maximum context length",
    "context_length_exceeded",
    "exceeds the context window",
    "maximum model length",
    // Anthropic
    "prompt is too long",
    "exceed context limit",
    "request_too_large",
    // Gemini
    "exceeds the maximum number of tokens",
    // Bedrock and gateways
    "input is too long",
    "context window exceeds",
    "exceeds the limit of tokens",
    // llama.cpp, llama-cpp-python
    "exceeds the available context size",
    "exceed_context_size",
    "exceed context window",
    // LM Studio
    "greater than the context length",
    "context length of only",
    // Ollama
    "prompt too long",
    "exceeds the context length",
    "input length exceeds",
    // Groq
    "reduce the length of the messages",
    // xAI, z.ai, Moonshot
    "maximum prompt length",
    "prompt exceeds max length",
    "exceeded model token limit",
    // Text Generation Inference, Together
    "`max_new_tokens` must be <=",
    "inputs tokens + max_new_tokens",
    "model_context_window_exceeded",
];

/// Words of error codes and texts, in lower case, with what they mean; the first that is found counts.
const WORDS: &[(&str, ErrorKind)] = &[
    ("insufficient_quota", ErrorKind::Quota),
    ("billing", ErrorKind::Quota),
    ("credit balance", ErrorKind::Quota),
    ("insufficient balance", ErrorKind::Quota),
    ("insufficient_balance", ErrorKind::Quota),
    ("insufficient credits", ErrorKind::Quota),
    ("exceeded your current quota", ErrorKind::Quota),
    ("rate_limit", ErrorKind::RateLimit),
    ("rate limit", ErrorKind::RateLimit),
    ("too many requests", ErrorKind::RateLimit),
    ("resource_exhausted", ErrorKind::RateLimit),
    ("overloaded", ErrorKind::Overloaded),
    ("engine_overloaded", ErrorKind::Overloaded),
    ("slow_down", ErrorKind::Overloaded),
    ("over capacity", ErrorKind::Overloaded),
    ("unavailable", ErrorKind::Overloaded),
    ("invalid_api_key", ErrorKind::Auth),
    ("api key not valid", ErrorKind::Auth),
    ("authentication_error", ErrorKind::Auth),
    ("permission_error", ErrorKind::Auth),
    ("permission_denied", ErrorKind::Auth),
    ("unauthenticated", ErrorKind::Auth),
    ("model_not_found", ErrorKind::NotFound),
    ("not_found", ErrorKind::NotFound),
    ("deadline_exceeded", ErrorKind::Timeout),
    ("timeout_error", ErrorKind::Timeout),
    ("server_error", ErrorKind::Server),
    ("api_error", ErrorKind::Server),
    ("internal_error", ErrorKind::Server),
    ("invalid_request", ErrorKind::InvalidRequest),
    ("invalid_argument", ErrorKind::InvalidRequest),
    ("invalid_prompt", ErrorKind::InvalidRequest),
];

/// States of HTTP with what they mean where the words leave it open.
const STATES: &[(u16, ErrorKind)] = &[
    (400, ErrorKind::InvalidRequest),
    (401, ErrorKind::Auth),
    (402, ErrorKind::Quota),
    (403, ErrorKind::Auth),
    (404, ErrorKind::NotFound),
    (405, ErrorKind::NotFound),
    (408, ErrorKind::Timeout),
    (409, ErrorKind::Server),
    (410, ErrorKind::NotFound),
    (413, ErrorKind::ContextOverflow),
    (425, ErrorKind::Overloaded),
    (429, ErrorKind::RateLimit),
    (503, ErrorKind::Overloaded),
    (504, ErrorKind::Timeout),
    (524, ErrorKind::Timeout),
    (529, ErrorKind::Overloaded),
];

/// States that settle the kind whatever the words say.
const PLAIN_STATES: &[u16] = &[401, 402, 403];

/// Returns the kind of a fault from its state, if it came as one, and the words of its body.
pub(super) fn classify(status: Option<u16>, words: &str) -> ErrorKind {
    let words = words.to_lowercase();
    let by_words = WORDS.iter().find(|(word, _)| words.contains(word));
    let by_words = by_words.map(|(_, kind)| *kind);
    // A limit of tokens a minute speaks of too long requests too, but waiting helps it.
    let may_overflow = !matches!(by_words, Some(ErrorKind::RateLimit | ErrorKind::Quota));
    if may_overflow && OVERFLOW.iter().any(|phrase| words.contains(phrase)) {
        return ErrorKind::ContextOverflow;
    }
    let by_status = status.and_then(of_status);
    match (by_status, by_words) {
        (Some(kind), _) if status.is_some_and(|status| PLAIN_STATES.contains(&status)) => kind,
        (Some(ErrorKind::Server | ErrorKind::Overloaded), Some(kind)) if kind.is_retryable() => {
            kind
        }
        (Some(kind @ (ErrorKind::Server | ErrorKind::Overloaded)), _) => kind,
        (_, Some(kind)) => kind,
        (Some(kind), None) => kind,
        (None, None) => ErrorKind::Other,
    }
}

fn of_status(status: u16) -> Option<ErrorKind> {
    let row = STATES.iter().find(|(known, _)| *known == status);
    match (row, status) {
        (Some((_, kind)), _) => Some(*kind),
        (None, 300..400) => Some(ErrorKind::NotFound),
        (None, 400..500) => Some(ErrorKind::InvalidRequest),
        (None, 500..) => Some(ErrorKind::Server),
        _ => None,
    }
}
