//! Models: one module for each interface of a provider, and the scripted model, which plays
//! assistant turns from a file, so that demos, tests and benchmarks have real side effects and no
//! network.

mod api;
pub mod schema;
mod script;
mod spec;
pub mod transcript;

pub use api::Api;
pub use script::{Script, ScriptCall, ScriptError, ScriptTurn, ScriptedModel};
pub use spec::{KeySource, ModelSpec, Prices, Quirks, StaticKey};
