//! A desktop program whose agent may read a database; a person allows each write.
//!
//! What a host has to bring is here: the database it configures ([`deed_sql::Database`]), a way to
//! the person ([`Person`]), its own guards ([`guards`]), and a place for the audit log. The model is
//! a script, so that the whole can be run, shown and tested: a query, a write that is allowed, one
//! that is refused, and one that is changed after the person had agreed to it.

pub mod guards;
mod host;
mod person;
mod shop;

pub use host::{Desktop, DesktopError, Setup};
pub use person::{Person, Said};
pub use shop::{SCHEMA, make_shop};

/// What the user asks for.
pub const PROMPT: &str = "A lamp was sold. Please book it, tidy up the orders, and raise its price \
                          by 5 %.";

/// What the scripted model does.
pub const SCRIPT: &str = include_str!("../script.json");
