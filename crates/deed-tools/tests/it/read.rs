use std::io::Write as _;

use deed_protocol::ContentBlock;
use serde_json::{Value, json};

use crate::support::Bench;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("line {line}\n")).collect()
}

#[tokio::test]
async fn a_file_comes_back_to_the_letter() {
    let bench = Bench::new();
    bench.put("a.txt", "one\r\n\ttwo \u{1b}[1mthree\nfour");
    let called = bench.call("read", json!({ "path": "a.txt" })).await;
    assert_eq!(called.ok(), "one\r\n\ttwo \u{1b}[1mthree\nfour");
    assert_eq!(called.detail("totalLines"), 3);
    assert_eq!(called.detail("truncation"), Value::Null);
}

#[tokio::test]
async fn a_final_line_end_is_no_line_and_a_byte_order_mark_no_text() {
    let bench = Bench::new();
    bench.put("a.txt", "\u{feff}one\ntwo\nthree\n");
    let called = bench.call("read", json!({ "path": "a.txt" })).await;
    assert_eq!(called.ok(), "one\ntwo\nthree\n");
    let called = bench
        .call("read", json!({ "path": "a.txt", "limit": 3 }))
        .await;
    assert_eq!(called.ok(), "one\ntwo\nthree\n");
    let called = bench
        .call("read", json!({ "path": "a.txt", "offset": 4 }))
        .await;
    insta::assert_snapshot!(called.error(), @"offset 4 is beyond the end of a.txt, which has 3 lines");
}

#[tokio::test]
async fn a_long_file_is_cut_and_says_how_to_go_on() {
    let bench = Bench::new();
    bench.put("long.txt", numbered(2500));
    let called = bench.call("read", json!({ "path": "long.txt" })).await;
    let text = called.ok();
    assert!(text.starts_with("line 1\n"));
    assert!(
        text.ends_with("line 2000\n\n[Lines 1-2000 of 2500 shown. Use offset=2001 to go on.]"),
        "{}",
        &text[text.len() - 100..]
    );
    assert_eq!(called.detail("truncation")["truncatedBy"], "lines");
    assert_eq!(called.detail("truncation")["totalLines"], 2500);
    let rest = bench
        .call("read", json!({ "path": "long.txt", "offset": 2001 }))
        .await;
    assert_eq!(rest.ok().lines().count(), 500);
}

#[tokio::test]
async fn exactly_as_many_lines_as_fit_are_not_cut() {
    let bench = Bench::new();
    bench.put("full.txt", numbered(2000));
    let called = bench.call("read", json!({ "path": "full.txt" })).await;
    assert_eq!(called.ok(), numbered(2000));
    assert_eq!(called.detail("truncation"), Value::Null);
}

#[tokio::test]
async fn wide_lines_are_cut_by_bytes() {
    let bench = Bench::new();
    bench.put("wide.txt", format!("{}\n", "x".repeat(999)).repeat(100));
    let called = bench.call("read", json!({ "path": "wide.txt" })).await;
    let text = called.ok();
    assert!(text.ends_with("[Lines 1-51 of 100 shown (50.0KB limit). Use offset=52 to go on.]"));
    assert_eq!(called.detail("truncation")["truncatedBy"], "bytes");
}

#[tokio::test]
async fn offset_and_limit_choose_lines() {
    let bench = Bench::new();
    bench.put("a.txt", numbered(10));
    let called = bench
        .call(
            "read",
            json!({ "path": "a.txt", "offset": "4", "limit": 2 }),
        )
        .await;
    insta::assert_snapshot!(called.ok(), @r"
    line 4
    line 5

    [5 more lines in the file. Use offset=6 to go on.]
    ");
    assert_eq!(called.detail("firstLine"), 4);
}

#[tokio::test]
async fn offset_and_limit_below_one_are_refused() {
    let bench = Bench::new();
    bench.put("a.txt", "x\n");
    for (name, value) in [("offset", 0), ("offset", -3), ("limit", 0)] {
        let called = bench
            .call("read", json!({ "path": "a.txt", name: value }))
            .await;
        let error = called.error();
        assert!(error.contains(&format!("- {name}: ")), "{error}");
    }
}

#[tokio::test]
async fn b028_b104_null_and_empty_numbers_are_absent_and_numbers_may_be_text() {
    let bench = Bench::new();
    bench.put("a.txt", numbered(8));
    let called = bench
        .call(
            "read",
            json!({ "path": "a.txt", "offset": null, "limit": null }),
        )
        .await;
    assert_eq!(called.ok(), numbered(8));
    let called = bench
        .call(
            "read",
            json!({ "path": "a.txt", "offset": "", "limit": "" }),
        )
        .await;
    assert_eq!(called.ok(), numbered(8));
    let called = bench
        .call("read", json!({ "path": "a.txt", "offset": "7" }))
        .await;
    assert_eq!(called.ok(), "line 7\nline 8\n");
}

#[tokio::test]
async fn b025_one_enormous_line_is_measured_and_a_way_to_it_is_given() {
    let bench = Bench::new();
    let path = bench.put("one line.txt", "");
    let mut file = std::fs::File::create(path).unwrap();
    for _ in 0..200 {
        file.write_all(&[b'z'; 1024 * 1024]).unwrap();
    }
    drop(file);
    let called = bench
        .call(
            "read",
            json!({ "path": "one line.txt", "offset": 1, "limit": 5 }),
        )
        .await;
    insta::assert_snapshot!(called.ok(), @"[Line 1 of 1 is 200.0MB long, more than the 50.0KB that one result holds. In a shell, `sed -n '1p' 'one line.txt' | head -c 51200` shows its beginning; with `tail -c +51201 |` before `head` it goes on from there.]");
    assert_eq!(called.detail("truncation")["firstLineExceedsLimit"], true);
}

#[tokio::test]
async fn b026_an_empty_file_is_said_to_be_empty() {
    let bench = Bench::new();
    bench.put("empty", "");
    for arguments in [
        json!({ "path": "empty" }),
        json!({ "path": "empty", "offset": 1 }),
    ] {
        assert_eq!(bench.call("read", arguments).await.ok(), "[empty is empty]");
    }
    let called = bench
        .call("read", json!({ "path": "empty", "offset": 2 }))
        .await;
    insta::assert_snapshot!(called.error(), @"offset 2 is beyond the end of empty, which has 0 lines");
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_without_opening() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    let fifo = bench.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    let call = async |path: &str| bench.call("read", json!({ "path": path })).await.error();
    assert_eq!(
        call("folder").await,
        "folder is a directory; list it with ls"
    );
    assert!(call("pipe").await.starts_with("pipe is a FIFO"));
    assert!(call("socket").await.starts_with("socket is a socket"));
    assert!(
        call("/dev/zero")
            .await
            .starts_with("/dev/zero is a character device")
    );
    drop(socket);
}

#[tokio::test]
async fn a_missing_file_is_named_with_the_place_looked_at() {
    let bench = Bench::new();
    let error = bench
        .call("read", json!({ "path": "no/such" }))
        .await
        .error();
    let place = bench.path("no/such");
    assert_eq!(
        error,
        format!(
            "no/such: no such file or directory (looked for {})",
            place.display()
        )
    );
    bench.put("file", "x");
    let error = bench
        .call("read", json!({ "path": "file/in" }))
        .await
        .error();
    assert!(
        error.starts_with("file/in: no such file or directory"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_not_utf8_is_shown_as_such_and_named() {
    let bench = Bench::new();
    bench.put("latin1", b"# r\xe9sum\xe9\n");
    let called = bench.call("read", json!({ "path": "latin1" })).await;
    insta::assert_snapshot!(called.ok(), @r"
    # r�sum�

    [Note: bytes that are not UTF-8 are shown as �.]
    ");
}

#[tokio::test]
async fn a_single_nul_is_written_out_and_a_binary_file_is_not_shown() {
    let bench = Bench::new();
    bench.put("log", "first entry of the day\0\nsecond entry of the day\n");
    bench.put(
        "program",
        [0_u8, 1, 2, 255, 254, 253, 0, 0, 7, 9].repeat(30),
    );
    bench.put("wide", [255, 254, b'a', 0, b'b', 0, b'\n', 0]);
    let called = bench.call("read", json!({ "path": "log" })).await;
    insta::assert_snapshot!(called.ok(), @r"
    first entry of the day\x00
    second entry of the day

    [Note: NUL bytes are shown as \x00.]
    ");
    let called = bench.call("read", json!({ "path": "program" })).await;
    insta::assert_snapshot!(called.ok(), @"[program looks like a binary file (300B); nothing of it is shown. `xxd 'program' | head -n 40` shows its first bytes.]");
    let called = bench.call("read", json!({ "path": "wide" })).await;
    insta::assert_snapshot!(called.ok(), @"[wide looks like a binary file (8B); nothing of it is shown. It looks like UTF-16: `iconv -f UTF-16 -t UTF-8 'wide'` shows it as text.]");
}

#[tokio::test]
async fn a_text_that_grows_when_it_is_decoded_stays_within_the_limit() {
    let bench = Bench::new();
    bench.put(
        "bad",
        [b"\xff".repeat(500), b"\n".to_vec()].concat().repeat(90),
    );
    let called = bench.call("read", json!({ "path": "bad" })).await;
    let text = called.ok();
    assert!(text.len() < 52_000, "{}", text.len());
    assert!(
        text.contains("[Lines 1-34 of 90 shown"),
        "{}",
        &text[text.len() - 200..]
    );
}

fn picture(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([(x * 7) as u8, (y * 13) as u8, (x ^ y) as u8])
    });
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn pictures_are_known_by_their_content() {
    use image::ImageFormat::{Bmp, Gif, Jpeg, Png, WebP};
    let bench = Bench::new();
    let formats = [
        (Png, "image/png"),
        (Jpeg, "image/jpeg"),
        (Gif, "image/gif"),
        (WebP, "image/webp"),
        (Bmp, "image/png"),
    ];
    for (format, mime_type) in formats {
        bench.put("picture.txt", picture(20, 10, format));
        for arguments in [
            json!({ "path": "picture.txt" }),
            json!({ "path": "picture.txt", "offset": 3, "limit": 1 }),
        ] {
            let called = bench.call("read", arguments).await;
            assert!(
                called.ok().starts_with(&format!("Picture ({mime_type})")),
                "{format:?}"
            );
            let [_, ContentBlock::Image(image)] = called.result.content.as_slice() else {
                panic!("no picture: {:?}", called.result.content);
            };
            assert_eq!(image.mime_type, mime_type);
        }
    }
}

#[tokio::test]
async fn b032_text_with_the_letters_of_a_signature_is_text() {
    let bench = Bench::new();
    for text in ["GIFT list\nGIF is a word\n", "BMW\n", "RIFF\n", "GIF89 \n"] {
        bench.put("a.gif", text);
        assert_eq!(
            bench.call("read", json!({ "path": "a.gif" })).await.ok(),
            text
        );
    }
}

#[tokio::test]
async fn b034_b035_a_picture_beyond_the_limits_is_made_smaller() {
    let bench = Bench::new();
    bench.put("strip.png", picture(9000, 40, image::ImageFormat::Png));
    let called = bench.call("read", json!({ "path": "strip.png" })).await;
    assert!(called.ok().contains("9000x40"), "{}", called.text());
    assert_eq!(called.detail("width"), 2000);
    let [_, ContentBlock::Image(image)] = called.result.content.as_slice() else {
        panic!("no picture");
    };
    assert!(image.data.len() < 4_718_592);
}

#[tokio::test]
async fn a_broken_picture_becomes_words() {
    let bench = Bench::new();
    let mut bytes = picture(64, 64, image::ImageFormat::Png);
    bytes.truncate(bytes.len() / 2);
    bench.put("half.png", bytes);
    let called = bench.call("read", json!({ "path": "half.png" })).await;
    let text = called.ok();
    assert!(
        text.starts_with("[half.png is a picture, left out: "),
        "{text}"
    );
    assert_eq!(called.result.content.len(), 1);
}

#[tokio::test]
async fn b040_a_model_without_eyes_leaves_the_picture_in_the_result() {
    let blind = deed_agent::ModelInfo {
        id: "blind".into(),
        ..deed_agent::ModelInfo::default()
    };
    let bench = Bench::with(|parts| parts.model = Some(blind));
    bench.put("a.png", picture(4, 4, image::ImageFormat::Png));
    let called = bench.call("read", json!({ "path": "a.png" })).await;
    assert_eq!(called.ok(), "Picture (image/png)");
    assert_eq!(called.detail("imageUnsupportedByModel"), "blind");
    assert_eq!(called.result.content.len(), 2);
}

#[tokio::test]
async fn saved_output_can_be_read() {
    let bench = Bench::new();
    let called = bench.call("bash", json!({ "command": "seq 1 3000" })).await;
    let path = called.full_output();
    let called = bench
        .call("read", json!({ "path": path, "offset": 2999 }))
        .await;
    assert_eq!(called.ok(), "2999\n3000\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b031_a_call_cancelled_while_it_opens_its_file_is_answered_once() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let bench = std::sync::Arc::new(Bench::new());
    bench.put("a.txt", numbered(2000));
    bench.call("read", json!({ "path": "a.txt" })).await.ok();
    let before = descriptors();
    for round in 0..1000 {
        let token = tokio_util::sync::CancellationToken::new();
        let (cancel, turns) = (token.clone(), round % 20);
        let cancelling = tokio::spawn(async move {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
            cancel.cancel();
        });
        let call = ("read", json!({ "path": "a.txt" }));
        let called = bench.batch_until([call], token, |_| false).await;
        assert_eq!(called.len(), 1);
        if called[0].result.is_error {
            assert_eq!(called[0].text(), "Operation aborted");
        }
        cancelling.await.unwrap();
    }
    // Reads that were let go end by themselves.
    let patience = std::time::Instant::now();
    while descriptors() > before {
        assert!(patience.elapsed().as_secs() < 10, "descriptors leak");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn data_without_line_ends_is_no_line_of_text() {
    let bench = Bench::new();
    bench.put("data", vec![0_u8; 200_000]);
    let called = bench.call("read", json!({ "path": "data" })).await;
    assert!(called.ok().contains("looks like a binary file"));
    assert_eq!(called.detail("binary"), true);
    let wide: Vec<u8> = b"\xff\xfe"
        .iter()
        .copied()
        .chain(b"a\0".repeat(100_000))
        .collect();
    bench.put("wide", wide);
    let text = bench.call("read", json!({ "path": "wide" })).await.ok();
    assert!(text.contains("iconv"), "{text}");
    bench.put("long", "x".repeat(200_000));
    let text = bench.call("read", json!({ "path": "long" })).await.ok();
    assert!(text.starts_with("[Line 1 of 1 is"), "{text}");
}

#[tokio::test]
async fn a_text_that_begins_like_a_picture_is_a_text() {
    let bench = Bench::new();
    for text in ["GIF89a is a format of pictures.\n", "BM and RIFF too\n"] {
        bench.put("a.txt", text);
        let called = bench.call("read", json!({ "path": "a.txt" })).await;
        assert_eq!(called.ok(), text);
    }
}
