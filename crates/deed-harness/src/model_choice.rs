//! From options, settings and keys to a model that can be asked.
//!
//! What is said goes before what is found: an address on the command line, a model named there, that
//! of the session that goes on, that of the settings; then the first provider whose key is set; then
//! a server on this machine. The list of models is read only if a name must be looked up in it.
//!
//! Start reading at [`ModelChooser::choose`].

mod address;
mod chooser;
mod config;
mod error;
mod listing;
mod local;
mod named;
mod source;
mod unasked;

pub use chooser::ModelChooser;
pub use config::{ModelChooserConfig, ModelNotice, ModelPick, ModelWish, PickedBy};
pub use error::ModelChoiceError;
pub use listing::{ListedModel, ModelObject, next_model, next_thinking, thinking_levels};
