use deed_tooling::{
    MATCH_LINE_MAX_CHARS, TextLimits, Truncated, TruncatedBy, format_size, truncate_head,
    truncate_line, truncate_tail,
};
use proptest::prelude::*;
use serde_json::json;

fn lines(max_lines: usize) -> TextLimits {
    TextLimits {
        max_lines,
        ..TextLimits::default()
    }
}

fn bytes(max_bytes: usize) -> TextLimits {
    TextLimits {
        max_bytes,
        ..TextLimits::default()
    }
}

#[test]
fn head_keeps_whole_lines_up_to_the_limit_of_lines() {
    let cut = truncate_head("a\nb\nc\n", lines(2));
    assert_eq!(cut.text, "a\nb");
    assert_eq!(cut.truncation.truncated_by, Some(TruncatedBy::Lines));
    assert_eq!(
        (cut.truncation.total_lines, cut.truncation.total_bytes),
        (3, 6)
    );
    assert_eq!(
        (cut.truncation.output_lines, cut.truncation.output_bytes),
        (2, 3)
    );
}

#[test]
fn head_leaves_what_fits_alone() {
    let cut = truncate_head("a\nb\n", lines(2));
    assert_eq!(cut.text, "a\nb\n");
    assert!(!cut.truncation.truncated);
    assert_eq!(cut.truncation.truncated_by, None);
}

#[test]
fn head_keeps_whole_lines_up_to_the_limit_of_bytes() {
    let cut = truncate_head("aa\nbb", bytes(4));
    assert_eq!(
        (cut.text, cut.truncation.truncated_by),
        ("aa", Some(TruncatedBy::Bytes))
    );
}

#[test]
fn head_keeps_nothing_of_a_first_line_that_is_too_long() {
    let cut = truncate_head("aaaa\nbb", bytes(3));
    assert_eq!(cut.text, "");
    assert!(cut.truncation.first_line_exceeds_limit);
    assert_eq!(cut.truncation.output_lines, 0);
    assert_eq!(cut.truncation.truncated_by, Some(TruncatedBy::Bytes));
}

#[test]
fn where_both_limits_are_met_the_lines_are_named() {
    let cut = truncate_head(
        "a\nb\nc\nd",
        TextLimits {
            max_lines: 2,
            max_bytes: 3,
        },
    );
    assert_eq!(
        (cut.text, cut.truncation.truncated_by),
        ("a\nb", Some(TruncatedBy::Lines))
    );
}

#[test]
fn tail_keeps_whole_lines_from_the_end() {
    let cut = truncate_tail("aa\nbb\ncc", bytes(5));
    assert_eq!(
        (cut.text, cut.truncation.truncated_by),
        ("bb\ncc", Some(TruncatedBy::Bytes))
    );
}

#[test]
fn tail_keeps_the_end_of_a_last_line_that_is_too_long() {
    let cut = truncate_tail("aa\nbbbbbb", bytes(3));
    assert_eq!(cut.text, "bbb");
    assert!(cut.truncation.last_line_partial);
    assert!(!cut.truncation.first_line_exceeds_limit);
}

#[test]
fn tail_begins_at_a_character() {
    assert_eq!(truncate_tail("é€😀", bytes(5)).text, "😀");
    let cut = truncate_tail("é€😀", bytes(3));
    assert_eq!(cut.text, "");
    assert!(cut.truncation.last_line_partial);
}

#[test]
fn b049_a_final_newline_is_no_extra_line() {
    let text = "x\n".repeat(2000);
    for cut in [
        truncate_head(&text, TextLimits::default()),
        truncate_tail(&text, TextLimits::default()),
    ] {
        assert_eq!(cut.text, text);
        assert!(!cut.truncation.truncated);
        assert_eq!(cut.truncation.total_lines, 2000);
    }
}

#[test]
fn b050_the_last_line_survives_the_limit_of_bytes() {
    let text = format!(
        "{}error: boom",
        format!("{}\n", "k".repeat(4096)).repeat(29)
    );
    let cut = truncate_tail(&text, TextLimits::default());
    assert!(cut.text.ends_with("\nerror: boom"));
    assert_eq!(cut.truncation.truncated_by, Some(TruncatedBy::Bytes));
}

#[test]
fn a_final_newline_that_is_too_much_is_dropped_without_a_word() {
    let text = format!("{}\n", "x".repeat(51_200));
    for cut in [
        truncate_head(&text, TextLimits::default()),
        truncate_tail(&text, TextLimits::default()),
    ] {
        assert_eq!(cut.text.len(), 51_200);
        assert!(!cut.truncation.truncated, "{:?}", cut.truncation);
    }
}

#[test]
fn empty_lines_at_the_end_count() {
    let cut = truncate_head("a\n\n\n", lines(2));
    assert_eq!((cut.text, cut.truncation.total_lines), ("a\n", 3));
    let cut = truncate_tail("a\n\n\n", lines(2));
    assert_eq!((cut.text, cut.truncation.output_lines), ("\n", 2));
    assert_eq!(truncate_head("", lines(2)).truncation.total_lines, 0);
}

#[test]
fn the_record_has_pis_fields_in_pis_order_but_for_the_text() {
    let record = serde_json::to_value(truncate_tail("aa\nbbbbbb", bytes(3)).truncation).unwrap();
    let expected = json!({
        "truncated": true,
        "truncatedBy": "bytes",
        "totalLines": 2,
        "totalBytes": 9,
        "outputLines": 1,
        "outputBytes": 3,
        "lastLinePartial": true,
        "firstLineExceedsLimit": false,
        "maxLines": 2000,
        "maxBytes": 3,
    });
    assert_eq!(record.to_string(), expected.to_string());
    let whole = serde_json::to_value(truncate_head("a", lines(1)).truncation).unwrap();
    assert!(whole["truncatedBy"].is_null());
}

#[test]
fn b088_a_line_is_cut_between_characters_and_marked() {
    let line = format!("{}😀{}", "a".repeat(499), "b".repeat(100));
    let cut = truncate_line(&line, MATCH_LINE_MAX_CHARS);
    assert!(cut.was_truncated);
    assert!(
        cut.text.starts_with(&format!("{}😀…", "a".repeat(499))),
        "{}",
        cut.text
    );
    let short = truncate_line("short", 5);
    assert!(!short.was_truncated);
    assert_eq!(short.text, "short");
}

#[test]
fn sizes_have_one_decimal_from_a_kilobyte_on() {
    let sizes = [0, 1023, 1024, 1536, 51_200, 1_048_576, 3_221_225_472].map(format_size);
    assert_eq!(
        sizes,
        [
            "0B", "1023B", "1.0KB", "1.5KB", "50.0KB", "1.0MB", "3072.0MB"
        ]
    );
}

fn text() -> impl Strategy<Value = String> {
    "([a-c€😀]{0,6}\n?){0,12}"
}

fn limits() -> impl Strategy<Value = TextLimits> {
    (0..8usize, 0..24usize).prop_map(|(max_lines, max_bytes)| TextLimits {
        max_lines,
        max_bytes,
    })
}

fn holds(cut: &Truncated<'_>, text: &str, limits: TextLimits) {
    let record = cut.truncation;
    assert!(cut.text.len() <= limits.max_bytes);
    assert_eq!(cut.text.len() as u64, record.output_bytes);
    assert!(record.output_lines <= limits.max_lines as u64);
    assert_eq!(record.total_lines as usize, text.lines().count());
    assert_eq!(record.total_bytes as usize, text.len());
    assert_eq!(record.truncated, record.truncated_by.is_some());
    if !record.truncated {
        assert_eq!(cut.text.trim_end_matches('\n'), text.trim_end_matches('\n'));
        assert_eq!(record.output_lines, record.total_lines);
    }
}

proptest! {
    #[test]
    fn head_is_a_beginning_within_bounds(text in text(), limits in limits()) {
        let cut = truncate_head(&text, limits);
        holds(&cut, &text, limits);
        prop_assert!(text.starts_with(cut.text));
        let rest = &text[cut.text.len()..];
        prop_assert!(cut.text.is_empty() || rest.is_empty() || rest.starts_with('\n'));
        prop_assert_eq!(truncate_head(cut.text, limits).text, cut.text);
    }

    #[test]
    fn tail_is_an_end_within_bounds(text in text(), limits in limits()) {
        let cut = truncate_tail(&text, limits);
        holds(&cut, &text, limits);
        let body = text.strip_suffix('\n').unwrap_or(&text);
        prop_assert!(text.ends_with(cut.text) || body.ends_with(cut.text));
        if limits.max_lines > 0 && !text.is_empty() {
            prop_assert!(cut.truncation.output_lines >= 1, "the last line is always there");
        }
        prop_assert_eq!(truncate_tail(cut.text, limits).text, cut.text);
    }

    #[test]
    fn a_cut_line_stays_as_it_is_when_cut_again(line in "[a€😀]{0,20}", max in 0..12usize) {
        let once: String = truncate_line(&line, max).into();
        prop_assert_eq!(&String::from(truncate_line(&once, max)), &once);
    }
}
