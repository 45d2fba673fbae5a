use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use deed_agent::{BoxFuture, Normalise};
use deed_protocol::{ContentBlock, ImageBlock, ToolResult};
use deed_tooling::{MAX_CONTENT_BYTES, OutputStore, ProductNormalise};
use serde_json::json;

use crate::image::{bmp, noise, png};
use crate::support::texts;

async fn normalised(content: Vec<ContentBlock>) -> Vec<ContentBlock> {
    let result = ToolResult {
        content,
        ..ToolResult::default()
    };
    ProductNormalise::new(true)
        .normalise("t", result)
        .await
        .content
}

fn image(bytes: &[u8], mime_type: &str) -> ContentBlock {
    ContentBlock::image(STANDARD.encode(bytes), mime_type)
}

fn as_image(block: &ContentBlock) -> &ImageBlock {
    match block {
        ContentBlock::Image(image) => image,
        other => panic!("no picture: {other:?}"),
    }
}

#[tokio::test]
async fn b037_what_is_no_picture_becomes_text_with_the_reason() {
    let cases = [
        (ContentBlock::image("!!", "image/tiff"), "base64"),
        (image(b"II*\0 and so on", "image/tiff"), "not a PNG"),
        (
            image(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR cut", "image/png"),
            "damaged",
        ),
        (image(&png(&noise(40, 40))[..900], "image/png"), "damaged"),
    ];
    for (block, reason) in cases {
        let normal = normalised(vec![ContentBlock::text("before"), block]).await;
        let said = texts(&normal);
        assert_eq!(said.len(), 2, "{normal:?}");
        assert!(
            said[1].contains("left out") && said[1].contains(reason),
            "{}",
            said[1]
        );
    }
}

#[tokio::test]
async fn b038_svg_becomes_its_text() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
    let normal = normalised(vec![image(svg.as_bytes(), "image/svg+xml")]).await;
    assert!(texts(&normal)[0].ends_with(svg));
    let huge = format!("<svg>{}</svg>", "<g/>\n".repeat(20_000));
    let normal = normalised(vec![image(huge.as_bytes(), "image/svg+xml")]).await;
    assert!(texts(&normal)[0].len() < 52_000);
}

#[tokio::test]
async fn a_picture_within_limits_keeps_its_bytes_and_gets_its_true_type() {
    let bytes = png(&noise(20, 10));
    let normal = normalised(vec![image(&bytes, "image/jpeg")]).await;
    assert_eq!(normal.len(), 1);
    let picture = as_image(&normal[0]);
    assert_eq!(picture.mime_type, "image/png");
    assert_eq!(picture.data, STANDARD.encode(&bytes));
}

#[tokio::test]
async fn base64_that_is_written_another_way_is_put_right() {
    let bytes = png(&noise(5, 5));
    let clean = STANDARD.encode(&bytes);
    let (first, last) = clean.split_at(20);
    for data in [
        format!("data:image/png;base64,{clean}"),
        format!("{first}\r\n{last}"),
        clean.trim_end_matches('=').to_owned(),
    ] {
        let normal = normalised(vec![ContentBlock::image(data, "image/png")]).await;
        assert_eq!(as_image(&normal[0]).data, clean);
    }
}

#[tokio::test]
async fn a_hint_stands_right_behind_a_picture_that_was_made_smaller() {
    let wide = png(&image::RgbImage::new(3000, 1500).into());
    let normal = normalised(vec![image(&wide, "image/png"), ContentBlock::text("after")]).await;
    assert_eq!(normal.len(), 3);
    as_image(&normal[0]);
    let said = texts(&normal);
    assert!(
        said[0].contains("2000x1000") && said[0].contains("3000x1500"),
        "{}",
        said[0]
    );
    assert!(said[0].contains("1.50"), "{}", said[0]);
    assert_eq!(said[1], "after");
}

#[tokio::test]
async fn without_resizing_pictures_are_only_converted() {
    let normaliser = ProductNormalise::new(true);
    normaliser.set_auto_resize(false);
    let wide = png(&image::RgbImage::new(3000, 10).into());
    let content = vec![
        image(&wide, "image/png"),
        image(&bmp(&noise(4, 4)), "image/bmp"),
        image(b"GIF89a", "image/gif"),
    ];
    let result = ToolResult {
        content,
        ..ToolResult::default()
    };
    let normal = normaliser.normalise("t", result).await.content;
    assert_eq!(as_image(&normal[0]).data, STANDARD.encode(&wide));
    assert_eq!(as_image(&normal[1]).mime_type, "image/png");
    let said = texts(&normal);
    assert!(said[0].contains("converted"), "{said:?}");
    assert!(said[1].contains("damaged"), "{said:?}");
}

#[tokio::test]
async fn text_of_any_tool_is_bounded_and_the_cut_is_told() {
    let content = vec![
        ContentBlock::text("a".repeat(MAX_CONTENT_BYTES - 1)),
        ContentBlock::text("€".repeat(1000)),
        ContentBlock::text("z"),
    ];
    let normal = normalised(content).await;
    let said = texts(&normal);
    assert_eq!(said.len(), 2, "the two that do not fit are gone");
    assert!(said[1].contains("2.9KB of text left out"), "{}", said[1]);
}

#[derive(Default)]
struct Saved(Mutex<Vec<String>>);

impl OutputStore for Saved {
    fn save<'a>(&'a self, tool_name: &'a str, text: String) -> BoxFuture<'a, Option<PathBuf>> {
        self.0.lock().unwrap().push(text);
        let path = PathBuf::from(format!("/out/{tool_name}-1.txt"));
        Box::pin(async move { Some(path) })
    }
}

#[tokio::test]
async fn text_that_is_cut_is_saved_whole_and_the_place_is_named() {
    let saved = Arc::new(Saved::default());
    let text = "line\n".repeat(100_000);
    let normaliser = ProductNormalise::new(true).saving_to(saved.clone());
    let result = normaliser
        .normalise("big", ToolResult::text(text.clone()))
        .await;
    assert!(texts(&result.content)[1].contains("/out/big-1.txt"));
    assert_eq!(*saved.0.lock().unwrap(), [text]);
}

#[tokio::test]
async fn details_are_bounded_and_the_rest_is_left_alone() {
    let mut result = ToolResult::text("x").with_details(json!({ "rows": ["y".repeat(300_000)] }));
    result.terminate = true;
    let normal = ProductNormalise::new(true).normalise("t", result).await;
    assert!(
        normal.details.unwrap()["omitted"]
            .as_str()
            .unwrap()
            .contains("293.0KB")
    );
    assert!(normal.terminate);
    let small = ToolResult::default().with_details(json!({ "a": 1 }));
    let normal = ProductNormalise::new(true).normalise("t", small).await;
    assert_eq!(normal.details, Some(json!({ "a": 1 })));
    assert!(normal.content.is_empty(), "an empty success stays empty");
}
