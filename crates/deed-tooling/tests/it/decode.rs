use deed_tooling::decode_for_model;
use proptest::prelude::*;

fn decoded(bytes: &[u8]) -> String {
    decode_for_model(bytes)
}

#[test]
fn escape_sequences_are_gone() {
    assert_eq!(decoded(b"\x1b[1;31mred\x1b[0m plain"), "red plain");
    assert_eq!(decoded(b"\x1b]0;a title\x07after"), "after");
    assert_eq!(
        decoded(b"\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\ end"),
        "link end"
    );
    assert_eq!(decoded(b"\x1bPq#0\x1b\\x\x1b(By\x1b7z\x1b=w"), "xyzw");
    assert_eq!(decoded(b"a\x1b[?25l\x1b[2Kb\x1b[38:5:1mc"), "abc");
    assert_eq!(decoded(b"\x1b\x1b[31mx"), "x");
}

#[test]
fn an_unfinished_sequence_takes_no_other_line_with_it() {
    assert_eq!(decoded(b"a\x1b]0;title\nb\n"), "a\nb\n");
    assert_eq!(decoded(b"a\x1b[3\nb"), "a\nb");
    assert_eq!(decoded(b"a\x1b"), "a");
    assert_eq!(decoded(b"a\x1b[31\xc3\xa9"), "aé");
}

#[test]
fn b053_nul_and_its_kind_are_written_out() {
    assert_eq!(decoded(b"a\0b\x01\x7f"), "a\\x00b\\x01\\x7f");
    assert_eq!(decoded("tab\tstays \u{9b}".as_bytes()), "tab\tstays \\x9b");
}

#[test]
fn b055_what_is_not_utf8_is_replaced_once() {
    assert_eq!(decoded(b"\xff\xfe\x41"), "\u{fffd}\u{fffd}A");
    assert_eq!(decoded(b"\xef\xbb\xbfx"), "x");
    assert_eq!(
        decode_for_model(decoded(b"\xff\xfe\x41").as_bytes()),
        decoded(b"\xff\xfe\x41")
    );
}

#[test]
fn a_progress_line_shows_its_last_state() {
    assert_eq!(decoded(b"10%\r20%\r100%\ndone\r\n"), "100%\ndone\n");
    assert_eq!(decoded(b"one\r\r\ntwo"), "one\ntwo");
    assert_eq!(decoded(b"50%\r"), "50%");
    assert_eq!(decoded(b"a|\x08/\x08-"), "a-");
    assert_eq!(decoded(b"N\x08NA\x08A"), "NA");
    assert_eq!(decoded(b"9%\x08\x0899%\x08\x08\x08\n"), "99%\n");
    assert_eq!(decoded(b"done\x08\x08\x08\x08\r\n"), "done\n");
}

proptest! {
    #[test]
    fn line_ends_stay_and_nothing_dangerous_is_left(bytes in proptest::collection::vec(
        prop_oneof![Just(0x1b), Just(b'\n'), Just(b'\r'), Just(b'['), Just(b']'), Just(7), any::<u8>()],
        0..64,
    )) {
        let text = decoded(&bytes);
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(text.matches('\n').count(), ends);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(&decoded(text.as_bytes()), &text);
    }
}
