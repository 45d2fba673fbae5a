//! Where the keys of providers come from.
//!
//! In this order: the command line, the `apiKey` of the provider in the settings, the file that
//! `deed auth` keeps ([`AuthFile`]), the variables of the provider. The first that says anything
//! counts; if it cannot give the key, that is an error, and nothing else is tried in its place. A
//! key is in no `Debug`, no error and no log; [`Credentials::known_secrets`] hands those that are
//! known to the redactor.

mod auth_file;
mod command;
mod error;
mod lookup;
mod private_file;
mod secret;
mod spec;

pub use auth_file::{AuthError, AuthFile};
pub use error::{CommandFault, KeyError};
pub use lookup::{
    Credentials, CredentialsConfig, KeyOrigin, KeyPresence, ProviderKey, VariableLookup,
};
pub use spec::KeySpec;
