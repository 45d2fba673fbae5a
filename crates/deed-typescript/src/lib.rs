//! TypeScript and JavaScript files as extensions of a session.
//!
//! A [`ScriptExtension`] is a [`deed_extensions::Extension`] whose handlers and tools run in an
//! engine of its own, on a thread of its own. Files are taken as they are: types are stripped here,
//! modules of node and of the host are built in, packages are found in `node_modules`.
//!
//! What a script can do outside of its engine is a list of operations ([`Permissions`] is asked
//! first). A script that loops or eats memory loses its engine; it gets another one, once.
//!
//! Start reading at `isolate.rs` (the thread), then `ops.rs` (what scripts can ask for) and
//! `running.rs` (what happens when an engine dies).

mod bridge;
mod bus;
mod error;
mod events;
mod extension;
mod handle;
mod health;
mod hints;
mod isolate;
mod limits;
mod modules;
mod ops;
mod options;
mod permissions;
mod places;
mod renderer;
mod resolve;
mod running;
mod scaffold;
mod shell;
mod sql;
mod support;
mod survey;
mod tool;
mod transpile;

pub use bus::ScriptBus;
pub use error::{Death, ScriptError, Thrown};
pub use extension::ScriptExtension;
pub use hints::{Hint, hints};
pub use limits::Limits;
pub use ops::LogLevel;
pub use options::{Admits, ScriptNotice, ScriptOptions};
pub use permissions::{Access, AllowAll, AllowNothing, Permissions};
pub use scaffold::{BadName, new_extension};
pub use sql::ScriptSql;
pub use support::{How, Member, MemberGroup, MemberKind, Support, extensions_markdown, support};
pub use survey::{Survey, SurveyedFile, Use, Used, Wants};
