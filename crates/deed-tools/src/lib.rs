//! The built-in tools, one file each.
//!
//! A tool is a value in [`BUILTINS`]: everything else (schema, prompt text, cards, documentation)
//! derives from its definition. The tools know neither each other nor any front end; what they do,
//! they do through the [`deed_env::ExecutionEnv`] of their [`ToolBasis`].

use std::sync::Arc;

use deed_tooling::{Preset, ToolDefinition};

mod bash;
mod basis;
mod bounded;
mod command;
mod decided;
mod diff;
mod drawing;
mod edit;
mod failure;
mod find;
mod frozen;
mod grep;
mod ls;
mod path;
mod powershell;
mod read;
mod write;

pub use basis::{ToolBasis, ToolSettings};
pub use command::{ElsewhereOutput, Listener, PersonShell, RanCommand};

/// A built-in tool: its name and how to make it.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The name, as in the definition.
    pub name: &'static str,
    /// Makes the definition on an environment.
    pub make: fn(&ToolBasis) -> Arc<dyn ToolDefinition>,
}

/// All built-in tools, in the order in which they are listed everywhere.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        name: read::NAME,
        make: read::make,
    },
    Builtin {
        name: bash::NAME,
        make: bash::make,
    },
    Builtin {
        name: edit::NAME,
        make: edit::make,
    },
    Builtin {
        name: write::NAME,
        make: write::make,
    },
    Builtin {
        name: grep::NAME,
        make: grep::make,
    },
    Builtin {
        name: find::NAME,
        make: find::make,
    },
    Builtin {
        name: ls::NAME,
        make: ls::make,
    },
    Builtin {
        name: powershell::NAME,
        make: powershell::make,
    },
];

/// Makes all built-in tools.
pub fn create_all_tool_definitions(basis: &ToolBasis) -> Vec<Arc<dyn ToolDefinition>> {
    create_named(basis, |_| true)
}

/// Makes the tools of an agent that writes code.
pub fn create_coding_tool_definitions(basis: &ToolBasis) -> Vec<Arc<dyn ToolDefinition>> {
    create_named(basis, |name| Preset::Coding.names().contains(&name))
}

/// Makes the tools of an agent that only looks.
pub fn create_read_only_tool_definitions(basis: &ToolBasis) -> Vec<Arc<dyn ToolDefinition>> {
    create_named(basis, |name| Preset::ReadOnly.names().contains(&name))
}

fn create_named(basis: &ToolBasis, wanted: fn(&str) -> bool) -> Vec<Arc<dyn ToolDefinition>> {
    BUILTINS
        .iter()
        .filter(|builtin| wanted(builtin.name))
        .map(|builtin| (builtin.make)(basis))
        .collect()
}
