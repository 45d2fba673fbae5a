//! Parameter schemas of tools: reading, coercion, validation, canonical JSON and hashes.
//!
//! Arguments pass through stages that are types: [`RawArgs`] is what the model wrote, to the letter;
//! [`ValidatedArgs`] is what a tool may run, and [`ToolSchema::validate`] alone makes it:
//!
//! 1. a strict reader refuses what two readers could understand differently (a key written twice,
//!    numbers beyond 2^53−1, nesting over 64 levels);
//! 2. coercion repairs what models get wrong without doubt about the meaning (`"10"` for a number,
//!    one object where a list is wanted, a list written as JSON text);
//! 3. JSON Schema (2020-12, or draft 7 if `$schema` says so) decides.
//!
//! What fails is a list of [`Faults`] in words that a model can act on. The canonical form (RFC 8785)
//! and its SHA-256 bind an approval to exactly these arguments.
//!
//! This crate knows no tools, reads no files and fetches nothing: a `$ref` stays inside its schema.
//!
//! ```
//! use deed_schema::{RawArgs, ToolSchema};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Params {
//!     /// File to read.
//!     path: String,
//!     /// First line, counted from one.
//!     offset: Option<u32>,
//! }
//!
//! # fn main() -> Result<(), deed_schema::Faults> {
//! let schema = ToolSchema::of::<Params>();
//! let args = schema.validate(&RawArgs::from_text(r#"{"path": "a.txt", "offset": "10"}"#)?)?;
//! assert_eq!(args.decode::<Params>()?.offset, Some(10));
//! let faults = schema.validate(&RawArgs::from_text(r#"{"path": "a.txt", "colour": 1}"#)?);
//! assert_eq!(faults.unwrap_err().to_string(), "- colour: not a known field");
//! # Ok(())
//! # }
//! ```

mod args;
mod canonical;
mod check;
mod coerce;
mod derive;
mod explain;
mod faults;
mod keywords;
mod pretty;
mod repair;
mod schema;
mod strict;

pub use args::{RawArgs, ValidatedArgs};
pub use canonical::{ParseHashError, Sha256Hash, canonical_json, sha256_hex};
pub use faults::{Fault, Faults};
pub use keywords::{each_subschema_mut, referenced};
pub use repair::repair_arguments;
pub use schema::{SchemaError, ToolSchema, warm_up};
