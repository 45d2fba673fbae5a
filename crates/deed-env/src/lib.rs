//! The execution environment: every file, process and search operation of a tool goes through
//! [`ExecutionEnv`], so that a remote back-end can stand in for the local one.
//!
//! Operations are coarse (one call, one hop to a blocking thread). The environment owns the
//! [`MutationQueue`](file::MutationQueue) that keeps writes of one file in call order and the
//! [`SeenLedger`](file::SeenLedger) that knows what this session last saw of a file. It knows no
//! tool, no policy and no model.
//!
//! Start reading at [`ExecutionEnv`].

mod env;
mod error;
pub mod file;
mod local;
mod memory;
pub mod process;
pub mod search;

pub use env::{BoxFuture, ExecutionEnv};
pub use error::EnvError;
pub use local::{LocalConfig, LocalEnv, real_path};
pub use memory::MemoryEnv;
