use serde::{Deserialize, Serialize};

/// What kind of fault kept a model from answering, so that programs need not read the message.
///
/// Shape: the member `errorKind` of an assistant message; Pi skips it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorKind {
    /// The provider has too much to do.
    Overloaded,
    /// Too many requests were sent.
    RateLimit,
    /// The provider failed inside.
    Server,
    /// The connection could not be made, or broke off.
    Network,
    /// Nothing came for too long.
    Timeout,
    /// The transcript does not fit the model.
    ContextOverflow,
    /// The key is missing, wrong or may not do this.
    Auth,
    /// There is no money or quota left.
    Quota,
    /// There is no such model or address.
    NotFound,
    /// The provider does not take the request.
    InvalidRequest,
    /// What came back is not what this interface speaks.
    Protocol,
    /// Anything else, also a kind that a later version added.
    #[serde(other)]
    Other,
}

impl ErrorKind {
    /// Tells whether the same request may work a little later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Overloaded | Self::RateLimit | Self::Server | Self::Network | Self::Timeout
        )
    }
}
