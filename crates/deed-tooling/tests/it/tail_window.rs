use deed_tooling::{
    ShownTail, TailWindow, TextLimits, TruncatedBy, decode_for_model, truncate_tail,
};
use proptest::prelude::*;

fn shown(chunks: &[&[u8]], limits: TextLimits) -> ShownTail {
    let mut window = TailWindow::new(limits);
    for chunk in chunks {
        window.push(chunk);
    }
    window.finish()
}

fn shown_by_default(output: &[u8]) -> ShownTail {
    shown(
        &output.chunks(4096).collect::<Vec<_>>(),
        TextLimits::default(),
    )
}

#[test]
fn short_output_is_shown_as_it_is() {
    let tail = shown_by_default(b"one\ntwo\n");
    assert_eq!(tail.text, "one\ntwo\n");
    assert_eq!((tail.first_line_1based, tail.last_line_1based), (1, 2));
    assert_eq!(tail.last_line_bytes, 3);
    assert!(!tail.truncation.truncated);
    let nothing = shown_by_default(b"");
    assert_eq!((nothing.text.as_str(), nothing.last_line_1based), ("", 0));
}

#[test]
fn the_last_lines_are_shown_under_their_numbers() {
    let output: String = (1..=3000).map(|n| format!("{n}\n")).collect();
    let tail = shown_by_default(output.as_bytes());
    assert!(tail.text.starts_with("1001\n") && tail.text.ends_with("\n3000"));
    assert_eq!(
        (tail.first_line_1based, tail.last_line_1based),
        (1001, 3000)
    );
    assert_eq!(tail.truncation.truncated_by, Some(TruncatedBy::Lines));
    assert_eq!(tail.truncation.total_bytes, output.len() as u64);
}

#[test]
fn b046_a_colour_code_in_two_pieces_leaves_nothing() {
    let tail = shown(&[b"\x1b[3", b"1m hi \x1b[0m"], TextLimits::default());
    assert_eq!(tail.text, " hi ");
}

#[test]
fn b047_the_end_of_one_huge_last_line_is_shown_honestly() {
    for end in ["", "\n"] {
        let output = format!("ok\n{}{end}", "z".repeat(150_000));
        let tail = shown_by_default(output.as_bytes());
        assert_eq!(tail.text, "z".repeat(51_200));
        assert_eq!((tail.first_line_1based, tail.last_line_1based), (2, 2));
        assert_eq!(tail.last_line_bytes, 150_000);
        assert!(tail.truncation.last_line_partial);
        assert_eq!(tail.truncation.truncated_by, Some(TruncatedBy::Bytes));
    }
}

#[test]
fn a_huge_line_is_cut_between_characters() {
    let output = "€".repeat(60_000);
    let tail = shown_by_default(output.as_bytes());
    assert!(tail.text.chars().all(|c| c == '€'));
    assert!(tail.text.len() > 51_190);
}

#[test]
fn b049_two_thousand_lines_with_a_final_newline_are_whole() {
    let tail = shown_by_default("x\n".repeat(2000).as_bytes());
    assert!(!tail.truncation.truncated);
    assert_eq!(tail.truncation.total_lines, 2000);
}

#[test]
fn b050_the_last_line_is_shown_whatever_came_before() {
    let output = format!(
        "{}error: boom\n",
        format!("{}\n", "k".repeat(4096)).repeat(29)
    );
    let tail = shown_by_default(output.as_bytes());
    assert!(tail.text.ends_with("\nerror: boom"));
    assert_eq!((tail.first_line_1based, tail.last_line_1based), (18, 30));
}

#[test]
fn b053_a_flood_of_nul_stays_within_the_limit() {
    let tail = shown_by_default(&[0; 100_000]);
    assert_eq!(tail.text.len(), 51_200);
    assert!(tail.truncation.last_line_partial);
    assert_eq!(tail.truncation.total_bytes, 100_000);
}

#[test]
fn a_huge_progress_line_shows_its_last_state_and_is_whole() {
    let mut output = "downloading 12%\r".repeat(20_000);
    output.push_str("done 100%\n");
    let tail = shown_by_default(output.as_bytes());
    assert_eq!(tail.text, "done 100%\n");
    assert!(!tail.truncation.truncated);
}

#[test]
fn the_end_of_a_cut_colour_code_does_not_show() {
    let output = "\x1b[38;5;196mx".repeat(20_000);
    let tail = shown_by_default(output.as_bytes());
    assert!(tail.text.chars().all(|c| c == 'x'), "{:.40}", tail.text);
    assert!(tail.truncation.last_line_partial);
}

#[test]
fn a_colour_reset_after_the_last_line_is_no_line() {
    let tail = shown_by_default(b"\x1b[31mred\n\x1b[0m");
    assert_eq!(tail.text, "red\n");
    assert_eq!((tail.first_line_1based, tail.last_line_1based), (1, 1));
    assert!(!tail.truncation.truncated);
}

#[test]
fn a_character_that_is_not_complete_is_not_shown_yet() {
    let mut window = TailWindow::new(TextLimits::default());
    window.push("é".as_bytes());
    window.push(&"€".as_bytes()[..2]);
    assert_eq!(window.peek().text, "é");
    window.push(&"€".as_bytes()[2..]);
    assert_eq!(window.peek().text, "é€");
    window.push(&[0xe2]);
    assert_eq!(window.finish().text, "é€\u{fffd}");
}

#[test]
fn memory_does_not_grow_with_the_output() {
    let mut window = TailWindow::new(TextLimits::default());
    let chunk = format!("{}\n", "y".repeat(99)).repeat(700);
    for _ in 0..1000 {
        window.push(chunk.as_bytes());
    }
    assert_eq!(
        (window.total_lines(), window.total_bytes()),
        (700_000, 70_000_000)
    );
    assert!(window.is_over_limits());
    assert_eq!(window.finish().first_line_1based, 700_000 - 512 + 1);
}

proptest! {
    #[test]
    fn pieces_do_not_matter_and_the_whole_text_agrees(
        text in "([a-c€]{0,9}(\r\n|\n)?){0,30}",
        at in proptest::collection::vec(0..200usize, 0..6),
        max_lines in 1..9usize,
        max_bytes in 4..60usize,
    ) {
        let limits = TextLimits { max_lines, max_bytes };
        let mut cuts: Vec<usize> = at.into_iter().map(|at| at.min(text.len())).collect();
        cuts.sort_unstable();
        let mut chunks = Vec::new();
        let mut from = 0;
        for cut in cuts {
            chunks.push(&text.as_bytes()[from..cut]);
            from = cut;
        }
        chunks.push(&text.as_bytes()[from..]);
        let tail = shown(&chunks, limits);
        let whole = decode_for_model(text.as_bytes());
        let expected = truncate_tail(&whole, limits);
        prop_assert_eq!(&tail.text, expected.text);
        prop_assert_eq!(tail.truncation.total_lines, expected.truncation.total_lines);
        prop_assert_eq!(tail.truncation.output_lines, expected.truncation.output_lines);
        prop_assert_eq!(tail.truncation.truncated, expected.truncation.truncated);
    }
}
