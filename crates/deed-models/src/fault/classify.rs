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

/// Parts of error codes, in lower case, with what they mean; the first that is found counts.
const CODES: &[(&str, ErrorKind)] = &[
    ("insufficient_quota", ErrorKind::Quota),
    ("billing", ErrorKind::Quota),
    ("rate_limit", ErrorKind::RateLimit),
    ("resource_exhausted", ErrorKind::RateLimit),
    ("overloaded", ErrorKind::Overloaded),
    ("slow_down", ErrorKind::Overloaded),
    ("unavailable", ErrorKind::Overloaded),
    ("invalid_api_key", ErrorKind::Auth),
    ("authentication", ErrorKind::Auth),
    ("permission", ErrorKind::Auth),
    ("unauthenticated", ErrorKind::Auth),
    ("not_found", ErrorKind::NotFound),
    ("deadline_exceeded", ErrorKind::Timeout),
    ("timeout", ErrorKind::Timeout),
    ("server_error", ErrorKind::Server),
    ("api_error", ErrorKind::Server),
    ("internal", ErrorKind::Server),
    ("invalid_request", ErrorKind::InvalidRequest),
    ("invalid_argument", ErrorKind::InvalidRequest),
    ("invalid_prompt", ErrorKind::InvalidRequest),
];

/// Phrases of what servers say, in lower case, with what they mean. They say more than a code, which
/// is often a general one.
const PHRASES: &[(&str, ErrorKind)] = &[
    ("credit balance", ErrorKind::Quota),
    ("insufficient balance", ErrorKind::Quota),
    ("insufficient credits", ErrorKind::Quota),
    ("exceeded your current quota", ErrorKind::Quota),
    ("rate limit", ErrorKind::RateLimit),
    ("too many requests", ErrorKind::RateLimit),
    ("overloaded", ErrorKind::Overloaded),
    ("over capacity", ErrorKind::Overloaded),
    ("api key not valid", ErrorKind::Auth),
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

/// Returns the kind of a fault from its state, if it came as one, its codes and its words.
pub(super) fn classify(status: Option<u16>, codes: &str, text: &str) -> ErrorKind {
    let (codes, text) = (codes.to_lowercase(), text.to_lowercase());
    let found = |table: &[(&str, ErrorKind)], words: &str| {
        let row = table.iter().find(|(word, _)| words.contains(word));
        row.map(|(_, kind)| *kind)
    };
    let by_words = found(PHRASES, &text).or_else(|| found(CODES, &codes));
    // A limit of tokens a minute speaks of too long requests too, but waiting helps it.
    let may_overflow = !matches!(by_words, Some(ErrorKind::RateLimit | ErrorKind::Quota));
    let says_so = |phrase: &str| text.contains(phrase) || codes.contains(phrase);
    if may_overflow && OVERFLOW.iter().any(|phrase| says_so(phrase)) {
        return ErrorKind::ContextOverflow;
    }
    let Some(by_status) = status.and_then(of_status) else {
        return by_words.unwrap_or(ErrorKind::Other);
    };
    let is_plain = status.is_some_and(|status| PLAIN_STATES.contains(&status));
    let is_servers = matches!(by_status, ErrorKind::Server | ErrorKind::Overloaded);
    match by_words {
        // A fault of the server's is not made one of the request's by a word.
        Some(kind) if !is_plain && (!is_servers || kind.is_retryable()) => kind,
        _ => by_status,
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
