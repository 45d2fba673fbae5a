//! Model providers. For now there is one: the scripted model, which plays assistant turns from a
//! file, so that demos, tests and benchmarks have real side effects and no network.

mod script;

pub use script::{Script, ScriptCall, ScriptError, ScriptTurn, ScriptedModel};
