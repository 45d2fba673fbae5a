//! The commands that a client can send, one row each.

mod controls;
mod models;
mod prompting;
pub(crate) mod sessions;
mod shell;
mod state;

use std::sync::Arc;

use deed_agent::BoxFuture;

use crate::fields::Fields;
use crate::response::Answered;
use crate::server::{Attached, Server};

/// A command.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Whether it waits while another session is being put in place.
    pub(crate) waits_for_switch: bool,
    pub(crate) run: fn(Call) -> BoxFuture<'static, Answered>,
}

/// A command that came, and what it acts on.
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    /// The session that the client means.
    pub(crate) at: Arc<Attached>,
    pub(crate) fields: Fields,
}

/// Makes a row of a function that is `async`.
macro_rules! command {
    ($name:literal, $run:path) => {
        command!($name, $run, true)
    };
    ($name:literal, $run:path, $waits:literal) => {
        Command {
            name: $name,
            waits_for_switch: $waits,
            run: |call| Box::pin($run(call)),
        }
    };
}

/// All commands.
///
/// Source: Pi's documentation of RPC, "RPC Commands".
pub(crate) const COMMANDS: &[Command] = &[
    command!("prompt", prompting::prompt),
    command!("steer", prompting::steer),
    command!("follow_up", prompting::follow_up),
    command!("abort", prompting::abort, false),
    command!("clear_queue", prompting::clear_queue),
    command!("get_state", state::get_state),
    command!("get_messages", state::get_messages),
    command!("get_entries", state::get_entries),
    command!("get_tree", state::get_tree),
    command!("get_last_assistant_text", state::get_last_assistant_text),
    command!("get_session_stats", state::get_session_stats),
    command!("get_commands", state::get_commands),
    command!("set_model", models::set_model),
    command!("cycle_model", models::cycle_model),
    command!("get_available_models", models::get_available_models),
    command!("set_thinking_level", models::set_thinking_level),
    command!("cycle_thinking_level", models::cycle_thinking_level),
    command!(
        "get_available_thinking_levels",
        models::get_available_thinking_levels
    ),
    command!("set_steering_mode", controls::set_steering_mode),
    command!("set_follow_up_mode", controls::set_follow_up_mode),
    command!("compact", controls::compact),
    command!("set_auto_compaction", controls::set_auto_compaction),
    command!("set_auto_retry", controls::set_auto_retry),
    command!("abort_retry", controls::abort_retry, false),
    command!("bash", shell::bash),
    command!("abort_bash", shell::abort_bash, false),
    command!("new_session", sessions::new_session, false),
    command!("switch_session", sessions::switch_session, false),
    command!("fork", sessions::fork, false),
    command!("clone", sessions::clone, false),
    command!("get_fork_messages", sessions::get_fork_messages),
    command!("set_session_name", sessions::set_session_name),
    command!("export_html", sessions::export_html),
];

/// Finds a command by its name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// Finds the name that somebody may have meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    // As in other languages' writing: `getState`, `get-state`.
    let plain = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
    let meant = plain(name);
    let mut names = COMMANDS.iter().map(|command| command.name);
    names.find(|known| plain(known) == meant)
}
