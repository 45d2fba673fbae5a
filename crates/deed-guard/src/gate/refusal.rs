//! What a model is told of a call that must not run.

use std::time::Duration;

use deed_agent::{Access, FrozenCall, Refusal};

use crate::policy::Decision;
use crate::redact::SecretRedactor;

/// Refuses a call that would put the mark of a secret in place of the secret.
pub(super) fn of_markers(redactor: &SecretRedactor, call: &FrozenCall) -> Option<Refusal> {
    if matches!(call.plan().access, Access::None | Access::Read(_)) {
        return None;
    }
    let mut open = vec![call.args().value().as_ref()];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(text) if redactor.contains_marker(text) => {
                let reason = "Not run: the arguments hold a mark such as [redacted:…] that stands \
                              where a secret was taken out. It would be written in place of the \
                              secret. Make a call that leaves that text alone, such as a smaller \
                              edit.";
                return Some(refusal(reason));
            }
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    None
}

/// Refuses a command of a person that holds such a mark.
pub(super) fn marker_in_command() -> Refusal {
    refusal(
        "Not run: the command holds a mark such as [redacted:…] that stands where a secret was \
         taken out. Put the secret in its place, or leave that part out.",
    )
}

/// Tells a person which rule stands against their own command.
pub(super) fn denied_to_person(decision: &Decision) -> Refusal {
    refusal(format!(
        "Not run: {}. Rules that deny hold for your own commands here too; change the rule, or run \
         it in a terminal of your own.",
        decision.reason
    ))
}

pub(super) fn denied(decision: &Decision) -> Refusal {
    refusal(format!("Denied: {}", decision.reason))
}

pub(super) fn refused_by_person(comment: Option<&str>) -> Refusal {
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    refusal(match comment {
        Some(comment) => format!("Refused by the user, who says: {comment}"),
        None => "Refused by the user. Do not try the same in another way; ask what is wanted."
            .to_owned(),
    })
}

pub(super) fn timed_out(after: Duration) -> Refusal {
    refusal(format!(
        "Not run: it needs a person's approval, and nobody answered within {} s. Nobody refused \
         it; it may be asked again later.",
        after.as_secs_f64()
    ))
}

/// Refuses a call that must be asked about where nobody can be asked.
pub(super) fn nobody_there(call: &FrozenCall, reason: &str) -> Refusal {
    let (what, remedy) = match &call.plan().access {
        Access::Sql { .. } => (
            "A write query requires interactive approval",
            "run it in a terminal and approve it there",
        ),
        _ => (
            "This call requires interactive approval",
            "run deed in a terminal, or allow it in a policy file (see `deed policy check`)",
        ),
    };
    refusal(format!(
        "{what}, and nobody can be asked here ({reason}). It was not run: {remedy}."
    ))
}

pub(super) fn cancelled() -> Refusal {
    refusal("Operation aborted")
}

pub(super) fn shown_otherwise() -> Refusal {
    refusal("Not run: the program that asked the person showed something else than what would run.")
}

pub(super) fn stale() -> Refusal {
    refusal(
        "Not run: what the person was asked about changed before it could run (the file, its \
         folder, the database or where the path leads). Look at it again and make the call anew.",
    )
}

pub(super) fn gone(tool: &str) -> Refusal {
    refusal(format!(
        "Not run: the tool {tool} was taken away since the model asked for it."
    ))
}

pub(super) fn no_longer_allowed(decision: &Decision) -> Refusal {
    refusal(format!(
        "Not run: the rules changed since this call was allowed. {}",
        decision.reason
    ))
}

pub(super) fn not_recorded(error: &str) -> Refusal {
    refusal(format!(
        "Not run: it could not be written to the audit log, and nothing that changes something \
         runs unrecorded: {error}"
    ))
}

fn refusal(reason: impl Into<String>) -> Refusal {
    Refusal {
        reason: reason.into(),
    }
}
