//! The body of a request: a head, segments that were written before, a tail.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// A body of several pieces that are sent as they are.
///
/// Its size is known, so that `Content-Length` is sent: some gateways refuse chunked requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct PiecedBody {
    pieces: VecDeque<Bytes>,
    left: u64,
}

impl PiecedBody {
    /// Appends a piece.
    pub(crate) fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.left += piece.len() as u64;
            self.pieces.push_back(piece);
        }
    }

    /// Puts the pieces together.
    pub(crate) fn into_bytes(self) -> Bytes {
        self.pieces.into_iter().flatten().collect()
    }
}

impl http_body::Body for PiecedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(piece) = self.pieces.pop_front() else {
            return Poll::Ready(None);
        };
        self.left -= piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
