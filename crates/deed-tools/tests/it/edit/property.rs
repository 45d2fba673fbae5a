use proptest::prelude::*;

use super::{edit, edits};
use crate::support::Bench;

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(work)
}

/// Pieces of files: text, every line end, and bytes that are not UTF-8.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[a-d ]{0,6}".prop_map(String::into_bytes),
        1 => "[\u{2018}\u{201d}\u{2014}\u{a0}\u{e9}\u{fb01}]{1,3}".prop_map(String::into_bytes),
        2 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b"  \r\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(piece(), 0..20);
    let file = pieces.prop_map(|pieces| pieces.concat());
    file.prop_filter("a mark of UTF-16", |file| {
        !file.starts_with(b"\xff\xfe") && !file.starts_with(b"\xfe\xff")
    })
}

/// Pieces of a file and what a model writes for them.
fn fancy() -> impl Strategy<Value = (&'static str, &'static str)> {
    proptest::sample::select(vec![
        ("word", "word"),
        ("\u{2018}", "'"),
        ("\u{201d}", "\""),
        ("\u{2014}", "-"),
        ("\u{a0}", " "),
        ("e\u{301}", "\u{e9}"),
        ("\u{fb01}", "fi"),
        (" ", " "),
        ("x  \r\n", "x\n"),
        ("y\u{3000}\r\n", "y\n"),
        ("\tz\r\n", "\tz \n"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bytes_outside_the_replaced_span_are_identical(
        before in file(),
        after in file(),
        new in "[x-z\\n]{0,8}",
    ) {
        // The marks occur nowhere else, so the span is known; no accent joins the last of them.
        let after = [b".".as_slice(), &after].concat();
        let content = [before.as_slice(), b"<M>\xe2\x80\x94<K>", &after].concat();
        let bench = Bench::new();
        for old in ["<M>\u{2014}<K>", "<M>-<K>"] {
            bench.put("file", &content);
            run(edit(&bench, old, &new)).ok();
            let got = bench.content("file");
            prop_assert!(got.starts_with(&before));
            prop_assert!(got.ends_with(&after));
            let inner = &got[before.len()..got.len() - after.len()];
            let inner = String::from_utf8(inner.to_vec()).unwrap();
            prop_assert_eq!(inner.replace("\r\n", "\n").replace('\r', "\n"), new.clone());
        }
    }

    #[test]
    fn an_edit_of_any_part_changes_that_part_only(content in file(), cut in any::<(u16, u16)>()) {
        let text = String::from_utf8_lossy(&content).replace('\u{fffd}', "?");
        let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let place = |at: u16| chars[usize::from(at) % chars.len()];
        let (from, to) = (place(cut.0).min(place(cut.1)), place(cut.0).max(place(cut.1)));
        let bench = Bench::new();
        bench.put("file", &text);
        let called = run(edit(&bench, &text[from..to], "<N>"));
        let got = bench.content("file");
        if called.result.is_error {
            prop_assert_eq!(got, text.as_bytes());
            return Ok(());
        }
        // A line end counts whole: the CR of a CRLF goes with its LF.
        let from = from - usize::from(text[..from].ends_with('\r') && text[from..].starts_with('\n'));
        let expected = format!("{}<N>{}", &text[..from], &text[to..]);
        prop_assert_eq!(String::from_utf8(got).unwrap(), expected);
    }

    #[test]
    fn several_edits_are_the_same_as_one_after_the_other(
        parts in proptest::collection::vec(file(), 3..6),
    ) {
        let bench = Bench::new();
        let marked = |mark: &dyn Fn(usize) -> String| -> Vec<u8> {
            let parts = parts.iter().enumerate();
            parts.flat_map(|(index, part)| [part.clone(), mark(index).into_bytes()].concat()).collect()
        };
        bench.put("file", marked(&|index| format!("<{index}>")));
        let changes: Vec<(String, String)> =
            (0..parts.len()).map(|index| (format!("<{index}>"), format!("[new {index}]"))).collect();
        let changes: Vec<(&str, &str)> =
            changes.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        run(edits(&bench, &changes)).ok();
        prop_assert_eq!(bench.content("file"), marked(&|index| format!("[new {index}]")));
    }

    #[test]
    fn a_tolerant_match_keeps_every_character_that_the_new_text_keeps(
        before in proptest::collection::vec(fancy(), 1..12),
        after in proptest::collection::vec(fancy(), 1..12),
    ) {
        let join = |pieces: &[(&str, &str)], plain: bool| -> String {
            pieces.iter().map(|(fancy, straight)| if plain { *straight } else { *fancy }).collect()
        };
        let file = |word: &str| {
            format!("\u{201c}{}{word}{}\u{201d}", join(&before, false), join(&after, false))
        };
        let straight = |word: &str| format!("\"{}{word}{}\"", join(&before, true), join(&after, true));
        let bench = Bench::new();
        bench.put("file", file("OLD"));
        run(edit(&bench, &straight("OLD"), &straight("NEW"))).ok();
        prop_assert_eq!(String::from_utf8(bench.content("file")).unwrap(), file("NEW"));
    }
}
