use std::time::Duration;

use deed_env::process::{Ending, ExitReport, LeftProcess};
use deed_protocol::ToolResult;
use deed_tooling::{ShownTail, TruncatedBy, format_size};
use serde_json::{Map, Value, json};

use super::capture::Output;
use super::saved::Saved;

const NO_OUTPUT: &str = "(no output)";
/// What shells add to a signal's number to make a code of it.
pub(super) const SIGNAL_CODE_BASE: i32 = 128;

/// Makes an update: the whole end of the output so far.
pub(super) fn update(output: &Output) -> ToolResult {
    let mut details = Map::new();
    add_output(&mut details, output);
    ToolResult::text(output.tail.text.clone()).with_details(Value::Object(details))
}

/// Makes the result of a command that has ended.
///
/// Shape: the end of the output, what of it is not shown in one bracket, how the command ended if
/// not well, each after a blank line.
pub(super) fn result(exit: &ExitReport, output: Output, time_limit: Duration) -> ToolResult {
    let mut details = ending_details(&exit.ending);
    details.insert("durationMs".to_owned(), millis(exit.elapsed));
    add_output(&mut details, &output);
    if !exit.left_running.is_empty() {
        let left = exit
            .left_running
            .iter()
            .map(|left| json!({"pid": left.pid, "name": left.name}));
        details.insert("leftRunning".to_owned(), left.collect());
    }
    let notes: Vec<String> = [
        notice(&output.tail, &output.saved),
        status(exit, time_limit),
        left_running(exit),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut shown = output.tail.text;
    if shown.is_empty() {
        shown.push_str(NO_OUTPUT);
    }
    let result = ToolResult::text(text(shown, &notes));
    ToolResult {
        is_error: exit.ending != Ending::Exited(0),
        ..result
    }
    .with_details(Value::Object(details))
}

/// Says what a person cannot see from the output, the exit code and the path of the whole output.
pub(super) fn remarks(exit: &ExitReport, output: &Output, time_limit: Duration) -> Vec<String> {
    let timed_out = match exit.ending {
        Ending::TimedOut { .. } => status(exit, time_limit),
        _ => None,
    };
    let unsaved = match output.saved.problem {
        Some(_) => notice(&output.tail, &output.saved),
        None => None,
    };
    let remarks = [unsaved, timed_out, left_running(exit)];
    remarks.into_iter().flatten().collect()
}

/// Puts notes behind a text, each after a blank line.
pub(super) fn text(mut text: String, notes: &[String]) -> String {
    if !notes.is_empty() && text.ends_with('\n') {
        text.pop();
    }
    for note in notes {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(note);
    }
    text
}

fn add_output(details: &mut Map<String, Value>, output: &Output) {
    let truncation = output.tail.truncation;
    if truncation.truncated {
        details.insert("truncation".to_owned(), json!(truncation));
    }
    if let Some(path) = &output.saved.path {
        details.insert(
            "fullOutputPath".to_owned(),
            path.display().to_string().into(),
        );
    }
    details.insert("totalLines".to_owned(), truncation.total_lines.into());
    details.insert("totalBytes".to_owned(), truncation.total_bytes.into());
}

fn ending_details(ending: &Ending) -> Map<String, Value> {
    let mut details = Map::new();
    let mut add = |name: &str, value: Value| drop(details.insert(name.to_owned(), value));
    match ending {
        Ending::Exited(code) => add("exitCode", (*code).into()),
        Ending::Signalled(signal) => {
            add("exitCode", (SIGNAL_CODE_BASE + signal).into());
            add("signal", signal_name(*signal).into());
        }
        Ending::TimedOut { exited_before } => {
            add("timedOut", true.into());
            if let Some((code, after)) = exited_before {
                add("exitCode", (*code).into());
                add("exitedAfterMs", millis(*after));
            }
        }
        Ending::Cancelled => add("aborted", true.into()),
    }
    details
}

/// Says what of the output is shown, what is not, and where all of it is.
fn notice(tail: &ShownTail, saved: &Saved) -> Option<String> {
    if !tail.truncation.truncated {
        return None;
    }
    let whereabouts = match (&saved.path, &saved.problem) {
        (Some(path), None) => {
            let size = format_size(tail.truncation.total_bytes);
            format!(
                "Full output ({size}): {} (open it with read)",
                path.display()
            )
        }
        (Some(path), Some(problem)) => format!(
            "The beginning of the output is in {} (open it with read); saving stopped: {problem}",
            path.display()
        ),
        (None, problem) => {
            let problem = problem.as_deref().unwrap_or("unknown");
            format!("The full output could not be saved: {problem}")
        }
    };
    Some(format!("[{}. {whereabouts}]", shown_and_dropped(tail)))
}

fn shown_and_dropped(tail: &ShownTail) -> String {
    let truncation = &tail.truncation;
    let (first, last) = (tail.first_line_1based, tail.last_line_1based);
    if truncation.last_line_partial {
        return format!(
            "Showing the last {} of line {last} (the line is {}). Not shown: {}",
            format_size(truncation.output_bytes),
            format_size(tail.last_line_bytes),
            match last {
                0 | 1 => "the beginning of that line".to_owned(),
                2 => "line 1 and the beginning of line 2".to_owned(),
                _ => format!("lines 1-{} and the beginning of line {last}", last - 1),
            }
        );
    }
    let limit = match truncation.truncated_by {
        Some(TruncatedBy::Lines) => format!("{} lines", truncation.max_lines),
        _ => format_size(truncation.max_bytes),
    };
    let shown = if first == last {
        format!("line {last}")
    } else {
        format!("lines {first}-{last}")
    };
    let dropped = match first {
        0..=2 => "line 1".to_owned(),
        _ => format!("lines 1-{}", first - 1),
    };
    format!("Showing {shown} of {last} (limit {limit}). Not shown: {dropped}")
}

/// Says how the command ended, if not well.
fn status(exit: &ExitReport, time_limit: Duration) -> Option<String> {
    match &exit.ending {
        Ending::Exited(0) => None,
        Ending::Exited(code) => Some(format!("Command exited with code {code}")),
        Ending::Signalled(signal) => Some(format!(
            "Command was killed by {} (exit code {})",
            signal_name(*signal),
            SIGNAL_CODE_BASE + signal
        )),
        Ending::TimedOut { exited_before } => {
            let limit = seconds(time_limit);
            Some(match exited_before {
                None => format!("Command timed out after {limit} and was stopped"),
                Some((code, after)) => format!(
                    "Command timed out after {limit}: the shell itself had exited with code {code} \
                     after {:.1} seconds, but a process that it had started kept the output open \
                     and was stopped",
                    after.as_secs_f64()
                ),
            })
        }
        Ending::Cancelled => Some("Command aborted: it was cancelled and stopped".to_owned()),
    }
}

fn left_running(exit: &ExitReport) -> Option<String> {
    if exit.left_running.is_empty() {
        return None;
    }
    let names: Vec<String> = exit.left_running.iter().map(named).collect();
    let names = names.join(", ");
    Some(match exit.ending {
        Ending::Exited(_) | Ending::Signalled(_) => {
            format!("Still running in the background: {names}")
        }
        Ending::TimedOut { .. } | Ending::Cancelled => format!("Could not be stopped: {names}"),
    })
}

fn named(left: &LeftProcess) -> String {
    format!("{} (pid {})", left.name, left.pid)
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let noun = if time == Duration::from_secs(1) {
        "second"
    } else {
        "seconds"
    };
    format!("{seconds} {noun}")
}

fn millis(time: Duration) -> Value {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).into()
}

/// Source: signal(7); the numbers that differ between systems are those of Linux.
fn signal_name(signal: i32) -> String {
    const NAMES: &[(i32, &str)] = &[
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (10, "SIGUSR1"),
        (11, "SIGSEGV"),
        (12, "SIGUSR2"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(number, _)| *number == signal);
    known.map_or_else(
        || format!("signal {signal}"),
        |(_, name)| (*name).to_owned(),
    )
}
