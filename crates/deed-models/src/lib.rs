//! Models: one module for each interface of a provider, and the scripted model, which plays
//! assistant turns from a file, so that demos, tests and benchmarks have real side effects and no
//! network.

mod api;
mod assemble;
mod body;
pub mod catalogue;
mod cost;
mod fault;
mod history;
mod http;
mod local;
mod merge;
mod read;
mod remote;
pub mod schema;
mod script;
mod spec;
mod sse;
pub mod transcript;
mod wire;

pub use api::Api;
pub use catalogue::Catalogue;
pub use cost::cost;
pub use http::{ProxyChoice, RootChoice, Transport, TransportOptions};
pub use local::{LOCAL_ENDPOINTS, LocalModel, LocalServer, find_local, find_local_at};
pub use remote::RemoteModel;
pub use script::{Script, ScriptCall, ScriptError, ScriptTurn, ScriptedModel};
pub use spec::{KeySource, ModelSpec, Prices, Quirks, StaticKey, ThinkingStyle};
