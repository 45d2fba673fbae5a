//! Models: one module for each interface of a provider, and the scripted model, which plays
//! assistant turns from a file, so that demos, tests and benchmarks have real side effects and no
//! network.
//!
//! Start at [`RemoteModel`]: it writes a request, reads the answer as it comes, and turns every fault
//! into an answer that says what to do. What differs between interfaces is a `Wire` (`wire.rs`); what a
//! provider may get of a transcript is decided in [`transcript`], of a tool in [`schema`].
//!
//! ```no_run
//! use std::sync::Arc;
//! use deed_models::{RemoteModel, StaticKey, Transport, find_local};
//!
//! # async fn example() {
//! let transport = Transport::default();
//! let servers = find_local(&transport).await;
//! if let Some(server) = servers.first()
//!     && let Some(model) = server.models.first()
//! {
//!     let spec = server.spec(&transport, model).await;
//!     let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport, || 0);
//!     println!("{model:?}");
//! }
//! # }
//! ```

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
pub use cost::{PriceTier, Prices, cost};
pub use http::{ProxyChoice, RootChoice, Transport, TransportOptions, web};
pub use local::{LOCAL_ENDPOINTS, LocalModel, LocalServer, find_local, find_local_at};
pub use remote::RemoteModel;
pub use script::{Script, ScriptCall, ScriptError, ScriptTurn, ScriptedModel};
pub use spec::{KeySource, ModelSpec, Quirks, StaticKey, ThinkingStyle};
