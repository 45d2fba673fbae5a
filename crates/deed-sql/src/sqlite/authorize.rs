use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::classify::{is_maintenance_pragma, is_pure_sqlite_function, is_reading_pragma};

/// Allows what only reads; the engine asks for each thing that a statement would do, also inside views.
pub(super) fn read_only(context: AuthContext<'_>) -> Authorization {
    let is_read = match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => is_pure_sqlite_function(function_name),
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => is_reading_pragma(&pragma_name.to_ascii_lowercase(), pragma_value.is_some()),
        _ => false,
    };
    answer(is_read)
}

/// Allows what changes this database and nothing else.
pub(super) fn write(context: AuthContext<'_>) -> Authorization {
    let is_inside = match context.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Unknown { .. } => false,
        AuthAction::Function { function_name } => {
            !["load_extension", "fts3_tokenizer"].contains(&function_name)
        }
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => {
            let name = pragma_name.to_ascii_lowercase();
            is_maintenance_pragma(&name) || is_reading_pragma(&name, pragma_value.is_some())
        }
        _ => true,
    };
    answer(is_inside)
}

fn answer(is_allowed: bool) -> Authorization {
    if is_allowed {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}
