//! One recorded answer a wire, cut in two at every byte.

use super::{Played, PlayedCall, ROWS, Row, hello, model, stream};
use crate::support::{Reply, Server, ask};

/// One block of each kind, with characters of two, three and four bytes.
const ONE_OF_EACH: Played = Played {
    thought: "Grüße – 🦀",
    text: "考える é",
    calls: &[PlayedCall {
        id: "call_a",
        name: "read",
        arguments: &["{\"say\":\"ä", "\\n🦀\"}"],
    }],
};

/// Asks for the same answer cut at each of its bytes, over connections that are used again.
async fn ask_at_every_cut(row: &Row) {
    let whole = stream(row, &ONE_OF_EACH);
    let bytes = whole.as_bytes();
    let cut = (1..bytes.len()).map(|at| Reply::in_two(&bytes[..at], &bytes[at..]));
    let server = Server::start(std::iter::once(Reply::events(&whole)).chain(cut)).await;
    let (model, request, mut wanted) = (model(row, &server), hello(), None);
    for at in 0..bytes.len() {
        let mut message = ask(&model, &request).await.0;
        message.duration_ms = None;
        let blocks = message.content.len();
        assert_eq!(blocks, 3, "{} cut at {at}: {message:?}", row.api);
        let written = serde_json::to_string(&message).unwrap();
        let wanted = wanted.get_or_insert_with(|| written.clone());
        assert_eq!(written, *wanted, "{} cut at {at}", row.api);
    }
    assert_eq!(server.requests().len(), bytes.len(), "{}", row.api);
}

#[test]
fn a_single_cut_at_any_byte_changes_nothing_of_the_message() {
    std::thread::scope(|scope| {
        for row in ROWS {
            scope.spawn(|| {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = runtime.enable_all().build().unwrap();
                runtime.block_on(ask_at_every_cut(row));
            });
        }
    });
}
