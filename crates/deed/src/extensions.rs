//! Extensions in files: which there are, whether a person accepts them, and what they may do.

mod accept;
pub(crate) mod command;
mod host;
mod permissions;
mod places;

pub(crate) use accept::{Accepting, accept, trust_as_it_is};
pub(crate) use host::{Scripts, ready};
pub(crate) use places::{Wanted, find, pi_folder};
