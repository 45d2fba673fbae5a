//! Reading ranges of lines, compared with the plainest way to do it.

use std::path::Path;

use deed_env::file::{LineRange, TextSlice};
use deed_env::{ExecutionEnv, MemoryEnv};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use crate::support::{Scratch, all_lines, block_on};

async fn read(env: &dyn ExecutionEnv, range: LineRange) -> TextSlice {
    env.read_lines(Path::new("f"), range, &CancellationToken::new())
        .await
        .unwrap()
}

/// The same by splitting the whole content.
fn plainly(content: &[u8], range: LineRange) -> TextSlice {
    let text = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let bare = |line: &[u8]| line.strip_suffix(b"\n").unwrap_or(line).len();
    let first = usize::try_from(range.first_0based)
        .unwrap()
        .min(lines.len());
    let count = range
        .max_wanted
        .map_or(usize::MAX, |max| usize::try_from(max).unwrap());
    let wanted = &lines[first..first.saturating_add(count).min(lines.len())];
    let mut slice = TextSlice {
        wanted_lines: wanted.len() as u64,
        wanted_bytes: wanted.iter().map(|line| line.len() as u64).sum(),
        total_lines: Some(lines.len() as u64),
        total_bytes: content.len() as u64,
        ..TextSlice::default()
    };
    if range.max_lines > 0
        && wanted
            .first()
            .is_some_and(|line| bare(line) > range.max_bytes)
    {
        slice.oversized_first_line_bytes = Some(bare(wanted[0]) as u64);
    }
    for line in wanted {
        if slice.kept_lines == range.max_lines || slice.bytes.len() + bare(line) > range.max_bytes {
            break;
        }
        slice.bytes.extend_from_slice(line);
        slice.kept_lines += 1;
    }
    slice
}

fn fields(slice: &TextSlice) -> (Vec<u8>, u64, u64, u64, u64, Option<u64>) {
    (
        slice.bytes.clone(),
        slice.kept_lines,
        slice.wanted_lines,
        slice.wanted_bytes,
        slice.total_bytes,
        slice.oversized_first_line_bytes,
    )
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(vec![]),
        prop::collection::vec(b'a'..b'e', 0..12),
        Just(b"\r".to_vec())
    ];
    let joined = (
        any::<bool>(),
        prop::collection::vec(line, 0..12),
        any::<bool>(),
    );
    joined.prop_map(|(has_mark, lines, ends)| {
        let mut content = if has_mark {
            b"\xEF\xBB\xBF".to_vec()
        } else {
            Vec::new()
        };
        content.extend(lines.join(&b'\n'));
        content.extend(ends.then_some(b'\n'));
        content
    })
}

proptest! {
    #[test]
    fn a_range_is_what_splitting_the_content_gives(
        content in content(),
        first_0based in 0..14_u64,
        max_wanted in prop::option::of(0..14_u64),
        max_lines in 0..14_u64,
        max_bytes in 0..40_usize,
        count_total in any::<bool>(),
    ) {
        let range = LineRange { first_0based, max_wanted, max_lines, max_bytes, count_total };
        let env = MemoryEnv::new("/w");
        env.put("f", content.clone()).unwrap();
        let slice = block_on(read(&env, range));
        let expected = plainly(&content, range);
        prop_assert_eq!(fields(&slice), fields(&expected));
        if count_total {
            prop_assert_eq!(slice.total_lines, expected.total_lines);
        }
    }
}

#[test]
fn lines_that_cross_the_chunks_of_a_large_file_stay_whole() {
    let scratch = Scratch::new();
    let lines: Vec<String> = (0..40_000)
        .map(|number| format!("{number}{}\n", "ü".repeat(number % 60)))
        .collect();
    let content = lines.concat();
    scratch.put("f", &content);
    for (first_0based, max_wanted) in [
        (0, None),
        (12_345, Some(10_000)),
        (39_999, Some(5)),
        (40_000, None),
    ] {
        let range = LineRange {
            first_0based,
            max_wanted,
            ..all_lines()
        };
        let slice = block_on(read(&scratch.env, range));
        assert_eq!(fields(&slice), fields(&plainly(content.as_bytes(), range)));
        assert_eq!(slice.total_lines, Some(40_000));
    }
}

#[test]
fn a_byte_order_mark_is_no_text_and_a_last_line_end_starts_no_line() {
    let scratch = Scratch::new();
    scratch.put("f", "\u{feff}one\ntwo\n");
    let slice = block_on(read(&scratch.env, all_lines()));
    assert_eq!(slice.bytes, b"one\ntwo\n");
    assert_eq!((slice.total_lines, slice.total_bytes), (Some(2), 11));
    scratch.put("f", "");
    let slice = block_on(read(&scratch.env, all_lines()));
    assert_eq!((slice.kept_lines, slice.total_lines), (0, Some(0)));
}
