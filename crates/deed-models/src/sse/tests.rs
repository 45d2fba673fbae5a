#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use proptest::prelude::*;

use super::{MAX_EVENT_BYTES, SseParser, TooLarge};

/// Returns the events of a stream that comes in these pieces.
fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
    let (mut parser, mut events) = (SseParser::default(), Vec::new());
    for piece in pieces {
        parser.push(piece);
        while let Some(event) = parser.next_event().unwrap() {
            events.push((event.name.into_owned(), event.data.into_owned()));
        }
    }
    let last = parser.last_event();
    events.extend(last.map(|event| (event.name.into_owned(), event.data.into_owned())));
    events
}

fn data(text: &str) -> Vec<String> {
    let events = events([text.as_bytes()]);
    events.into_iter().map(|(_, data)| data).collect()
}

#[test]
fn an_event_has_a_name_and_lines_of_data() {
    let text = "\u{feff}event: a\nid: 7\ndata: one\ndata:two\ndata:  three\n\ndata\n\n";
    let wanted = [
        ("a".to_owned(), "one\ntwo\n three".to_owned()),
        (String::new(), String::new()),
    ];
    assert_eq!(events([text.as_bytes()]), wanted);
}

#[test]
fn what_is_no_data_makes_no_event() {
    assert_eq!(
        data(": comment\n\nevent: ping\n\njunk\nretry: 3\n\ndata: x\n\n"),
        ["x"]
    );
    assert_eq!(events([b"event: a\n\ndata: x\n\n".as_slice()])[0].0, "");
}

#[test]
fn lines_end_in_three_ways() {
    assert_eq!(
        data("data: a\r\n\r\ndata: b\r\rdata: c\n\n"),
        ["a", "b", "c"]
    );
    assert_eq!(data("data: a\rdata: b\r\n\ndata: c\n\r"), ["a\nb", "c"]);
}

#[test]
fn the_last_event_may_lack_its_blank_line() {
    assert_eq!(data("data: a\n\ndata: b"), ["a", "b"]);
    assert_eq!(data("data: a\n\n: b"), ["a"]);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(events([b"data: a\xffb\n\n".as_slice()])[0].1, "a\u{fffd}b");
}

#[test]
fn an_event_beyond_all_bounds_is_refused() {
    let mut parser = SseParser::default();
    let piece = vec![b'x'; MAX_EVENT_BYTES / 4];
    parser.push(b"data: ");
    for _ in 0..4 {
        assert_eq!(parser.next_event(), Ok(None));
        parser.push(&piece);
    }
    assert_eq!(parser.next_event(), Err(TooLarge));
}

#[test]
fn a_large_event_in_small_pieces_is_read_once() {
    let big = "x".repeat(5 << 20);
    let text = format!("data: {big}\n\n");
    let mut parser = SseParser::default();
    for piece in text.as_bytes().chunks(16 * 1024) {
        parser.push(piece);
        // Nothing is looked at again: all that came was searched.
        if parser.next_event().unwrap().is_none() {
            assert_eq!(parser.searched, parser.waiting.len());
        }
    }
    assert!(parser.was_given);
    assert_eq!(parser.data.len(), big.len());
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_events(
        lines in prop::collection::vec("(data: ?|event:|data|: |id: 1|)[aü\u{feff}🦀:]{0,3}(\r\n|\n|\r)", 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let text = lines.concat();
        let bytes = text.as_bytes();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        let whole = events([bytes]);
        prop_assert_eq!(&events(pieces), &whole);
        prop_assert_eq!(&events(bytes.chunks(1)), &whole);
        for cut in 0..bytes.len() {
            let (head, tail) = bytes.split_at(cut);
            prop_assert_eq!(&events([head, tail]), &whole);
        }
    }
}
