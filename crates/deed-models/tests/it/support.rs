//! What the tests of models have in common: a server on loopback, and requests to send it.

mod model;
mod server;

pub(crate) use model::{
    add, ask, ask_until, ask_with_usage, declared, heard, request, spec, tools, transport,
};
pub(crate) use server::{Reply, Server};
