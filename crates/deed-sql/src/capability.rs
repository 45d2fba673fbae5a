use std::sync::Arc;

use thiserror::Error;

use crate::Database;
use crate::classify::{Classified, SqlClass};

/// The right to run one statement on a connection that cannot write.
#[derive(Debug)]
pub(crate) struct ReadRight(());

/// The right to run one statement on a connection that can write.
#[derive(Debug)]
pub(crate) struct WriteRight(());

/// A person's yes to one statement on one database, as a host heard it outside of its gate.
///
/// It cannot be copied, and says nothing about any other text: see [`query_for`](crate::query_for).
#[derive(Debug)]
pub struct WriteConsent {
    database: Arc<str>,
    text: String,
}

impl WriteConsent {
    /// Notes that a person said yes to a text, which stands here in its one form
    /// ([`canonical`](crate::canonical)).
    pub fn new(database: &Database, canonical_text: &str) -> Self {
        Self {
            database: database.name().clone(),
            text: canonical_text.to_owned(),
        }
    }

    pub(crate) fn covers(&self, text: &str, database: &Database) -> bool {
        self.text == text && self.database == *database.name()
    }
}

/// What one call may do to its database.
#[derive(Debug)]
pub(crate) enum Capability {
    Read(ReadRight),
    Write(WriteRight),
}

/// Why a statement gets no right.
#[derive(Debug, Error)]
pub(crate) enum NoRight {
    #[error("not run: {0}. No approval changes that")]
    Denied(String),
    #[error(
        "not run: {0}, so it needs the approval of a person for exactly this text, and has none"
    )]
    NotApproved(String),
}

impl Capability {
    /// Makes the right that fits a class; the only place where one is made.
    pub(crate) fn of(found: &Classified, is_write_permitted: bool) -> Result<Self, NoRight> {
        let reason = || found.reason.clone();
        match found.class {
            SqlClass::Read | SqlClass::Resource => Ok(Self::Read(ReadRight(()))),
            SqlClass::Write | SqlClass::Maintenance if is_write_permitted => {
                Ok(Self::Write(WriteRight(())))
            }
            SqlClass::Write | SqlClass::Maintenance => Err(NoRight::NotApproved(reason())),
            SqlClass::Session | SqlClass::SideEffect | SqlClass::Multi | SqlClass::Invalid => {
                Err(NoRight::Denied(reason()))
            }
        }
    }
}
