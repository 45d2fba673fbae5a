//! Output for people: the transcript of a run as it happens.

mod live;
mod look;
mod transcript;

pub(crate) use look::Look;
pub(crate) use transcript::Transcript;
