use std::path::Path;

use deed_protocol::to_json_line;
use deed_session::{SessionStore, SessionSummary};
use jiff::Timestamp;
use serde_json::json;

use crate::exit::{Ending, complain};
use crate::writer::print;

/// How much of what was said first is shown.
const SHOWN_CHARS: usize = 60;
/// How much of an id tells sessions apart on sight.
const SHOWN_ID_CHARS: usize = 13;

/// Prints sessions, the latest first.
pub(super) fn print_list(
    store: &SessionStore,
    cwd: &Path,
    (all, as_json): (bool, bool),
) -> anyhow::Result<Ending> {
    let mut listing = if all {
        store.list_all()
    } else {
        store.list(cwd)
    };
    listing
        .sessions
        .sort_by_key(|session| std::cmp::Reverse(session.modified_ms));
    for diagnostic in &listing.diagnostics {
        complain(&format!("warning: {diagnostic}"));
    }
    if listing.sessions.is_empty() && !as_json {
        let text = match all {
            true => "There are no sessions yet; `deed -p \"…\"` begins one.\n",
            false => "There are no sessions of this folder; --all lists those of others.\n",
        };
        return print(text.as_bytes());
    }
    let mut out = String::new();
    for session in &listing.sessions {
        out.push_str(&if as_json {
            line_of_json(session)
        } else {
            line(session, all)
        });
    }
    print(out.as_bytes())
}

fn line_of_json(session: &SessionSummary) -> String {
    let value = json!({
        "id": session.id,
        "path": session.path,
        "cwd": session.cwd,
        "name": session.name,
        "parent": session.parent,
        "created": session.created_ms,
        "modified": session.modified_ms,
        "messages": session.message_count,
        "first": session.first_text,
    });
    to_json_line(&value).unwrap_or_default()
}

fn line(session: &SessionSummary, all: bool) -> String {
    let id: String = session.id.chars().take(SHOWN_ID_CHARS).collect();
    let at = Timestamp::from_millisecond(session.modified_ms).unwrap_or_default();
    let title = session.name.as_ref().unwrap_or(&session.first_text);
    // What stands in the file is not trusted: a terminal must not act on it.
    let title: String = title
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(SHOWN_CHARS)
        .collect();
    let folder = if all {
        format!("  {}", session.cwd.escape_debug())
    } else {
        String::new()
    };
    format!(
        "{id}  {}  {:>4} messages{folder}  {title}\n",
        at.strftime("%Y-%m-%d %H:%M"),
        session.message_count,
    )
}
