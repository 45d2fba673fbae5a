//! The `query_database` tool, on SQLite and PostgreSQL.
//!
//! A statement passes four fences, none of which relies on another: [`classify`] reads it and says
//! what it would do; the agent's gate decides by that; a right to read or to write is made in one
//! place from both; and the backend opens a connection that can do no more than that right.
//!
//! A host that lets tools of others run statements makes [`query_for`] of each: the same fences, and a
//! [`WriteConsent`] for a write.
//!
//! Databases are configured by people ([`Database`]); a model knows them by name only.

mod answer;
mod capability;
mod card;
mod classify;
mod database;
mod facts;
mod job;
mod limits;
mod postgres;
mod progress;
mod rows;
mod run_error;
mod sqlite;
mod tool;

pub use capability::WriteConsent;
pub use classify::{Classified, SqlClass, canonical, classify};
pub use database::{Database, DatabaseError, Dialect};
pub use limits::SqlLimits;
pub use tool::{query_database, query_for};
