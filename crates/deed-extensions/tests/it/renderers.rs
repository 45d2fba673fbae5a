//! What extensions draw: whose drawing counts, and what it may cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_extensions::{Drawable, DrawnCall, Draws, ExtensionError, Renderer};
use deed_protocol::{Block, KeyValue, ToolCard, ToolResult};
use deed_tooling::ResultView;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Play, Played, ext, lifted};

/// Draws results of tools after a while, and counts them.
struct Drawer {
    says: &'static str,
    takes: Duration,
    times: Arc<AtomicUsize>,
}

impl Renderer for Drawer {
    fn render<'a>(
        &'a self,
        what: Drawable<'a>,
        _view: ResultView,
    ) -> BoxFuture<'a, Result<Option<Vec<Block>>, ExtensionError>> {
        Box::pin(async move {
            let Drawable::Result(_, result) = what else {
                return Ok(None);
            };
            let count = self.times.fetch_add(1, Ordering::Relaxed) + 1;
            tokio::time::sleep(self.takes).await;
            match self.says {
                "panic" => panic!("no paint"),
                "fail" => Err("no paper".into()),
                "pass" => Ok(None),
                says => {
                    let text = format!("{says} {count}: {}", result.joined_text());
                    Ok(Some(vec![Block::Text { text }]))
                }
            }
        })
    }
}

fn draws(says: &'static str, takes: Duration) -> (Arc<Drawer>, Arc<AtomicUsize>) {
    let times = Arc::new(AtomicUsize::new(0));
    let renderer = Drawer {
        says,
        takes,
        times: times.clone(),
    };
    (Arc::new(renderer), times)
}

async fn played(renderers: Vec<(Draws, Arc<Drawer>)>) -> Played {
    let mut play = Play::new();
    for (name, (draws, renderer)) in ["e0", "e1", "e2"].into_iter().zip(renderers) {
        play = play.with(ext(name, move |api| {
            api.register_renderer(draws.clone(), renderer.clone())
        }));
    }
    play.load(json!([{ "say": "hi" }])).await
}

async fn card(played: &Played, text: &str, partial: bool) -> ToolCard {
    let args = Value::Null;
    let call = DrawnCall {
        call_id: "c",
        tool_name: "t",
        args: &args,
    };
    let view = ResultView {
        partial,
        expanded: false,
    };
    let result = ToolResult::text(text);
    played.session.result_card(call, &result, view).await
}

fn text(card: &ToolCard) -> String {
    let said = card.blocks.iter().map(|block| match block {
        Block::Text { text } | Block::Notice { text, .. } => text.clone(),
        other => format!("{other:?}"),
    });
    said.collect::<Vec<_>>().join(" / ")
}

#[tokio::test]
async fn the_first_that_draws_counts() {
    let (passes, _) = draws("pass", Duration::ZERO);
    let (first, _) = draws("first", Duration::ZERO);
    let (second, second_times) = draws("second", Duration::ZERO);
    let played = played(vec![
        (Draws::AllTools, passes),
        (Draws::AllTools, first),
        (Draws::AllTools, second),
    ])
    .await;
    assert_eq!(text(&card(&played, "x", false).await), "first 1: x");
    assert_eq!(second_times.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_renderer_for_a_tool_of_somebody_else_is_not_asked() {
    let (renderer, times) = draws("mine", Duration::ZERO);
    let played = played(vec![(Draws::Tool("t".to_owned()), renderer)]).await;
    assert_eq!(text(&card(&played, "x", false).await), "x");
    assert_eq!(times.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_renderer_for_a_tool_of_its_own_extension_is_asked() {
    let (renderer, _) = draws("mine", Duration::ZERO);
    let own = ext("own", move |api| {
        api.register_tool(lifted(deed_testing::FakeTool::new("t")))?;
        api.register_renderer(Draws::Tool("t".to_owned()), renderer.clone())
    });
    let workplace = deed_testing::Workplace::new();
    let session = workplace.builder().extension(own);
    let session = session.build_with_extensions().await.unwrap();
    let args = Value::Null;
    let call = DrawnCall {
        call_id: "",
        tool_name: "t",
        args: &args,
    };
    let view = ResultView::default();
    let result = ToolResult::text("x");
    let card = session.result_card(call, &result, view);
    assert_eq!(text(&card.await), "mine 1: x");
}

#[tokio::test]
async fn one_that_fails_or_panics_leaves_the_card_and_is_told_once() {
    for (says, told) in [
        ("fail", "<inline:e0> render_result: no paper"),
        ("panic", "<inline:e0> render_result: it panicked: no paint"),
    ] {
        let (renderer, _) = draws(says, Duration::ZERO);
        let played = played(vec![(Draws::AllTools, renderer)]).await;
        assert_eq!(text(&card(&played, "x", false).await), "x");
        assert_eq!(text(&card(&played, "y", false).await), "y");
        assert_eq!(played.failures.lines(), [told]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_card_waits_a_second_and_no_longer() {
    let (renderer, _) = draws("late", Duration::from_secs(60));
    let played = played(vec![(Draws::AllTools, renderer)]).await;
    let begun = Instant::now();
    assert_eq!(text(&card(&played, "x", false).await), "x");
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    assert_eq!(
        played.failures.lines(),
        ["<inline:e0> render_result: drawing `t` took longer than 1 s"]
    );
}

#[tokio::test(start_paused = true)]
async fn of_many_partial_results_only_so_many_are_drawn_that_the_call_is_hardly_held_up() {
    let (renderer, times) = draws("slow", Duration::from_millis(500));
    let played = played(vec![(Draws::AllTools, renderer)]).await;
    let begun = Instant::now();
    for at in 0..1000 {
        let drawn = card(&played, &at.to_string(), true).await;
        assert_eq!(text(&drawn), "slow 1: 0");
    }
    assert_eq!(times.load(Ordering::Relaxed), 1);
    assert_eq!(begun.elapsed(), Duration::from_millis(500));
    tokio::time::advance(Duration::from_secs(6)).await;
    assert_eq!(text(&card(&played, "later", true).await), "slow 2: later");
    assert_eq!(text(&card(&played, "end", false).await), "slow 3: end");
}

/// Draws everything as these blocks.
struct Fixed(Vec<Block>);

impl Renderer for Fixed {
    fn render<'a>(
        &'a self,
        _: Drawable<'a>,
        _: ResultView,
    ) -> BoxFuture<'a, Result<Option<Vec<Block>>, ExtensionError>> {
        Box::pin(async { Ok(Some(self.0.clone())) })
    }
}

async fn entry(blocks: Vec<Block>) -> Vec<Block> {
    let fixed = Arc::new(Fixed(blocks));
    let draws = Draws::Entries("mark".to_owned());
    let extension = ext("e", move |api| {
        api.register_renderer(draws.clone(), fixed.clone())
    });
    let played = Play::new().with(extension).load(json!([{}])).await;
    let entry = json!({ "type": "custom", "customType": "mark" });
    let card = played.session.entry_card(&entry, ResultView::default());
    card.await.unwrap().blocks
}

#[tokio::test]
async fn control_characters_are_taken_out_of_every_kind_of_block() {
    let pair = |key: &str, value: &str| KeyValue {
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let drawn = entry(vec![
        Block::Code {
            text: "a\x1b[2Jb\tc\r\nd".to_owned(),
            language: "ru\x07st".to_owned(),
            first_line_1based: Some(1),
        },
        Block::KeyValues {
            pairs: vec![pair("k\ne\u{9b}y", "v\0")],
        },
        Block::Image {
            data: "AAAA\x1b".to_owned(),
            mime_type: "image/png".to_owned(),
            alt: "a\x08 cat".to_owned(),
        },
    ]);
    let drawn = drawn.await;
    let expected = [
        Block::Code {
            text: "a[2Jb\tc\nd".to_owned(),
            language: "rust".to_owned(),
            first_line_1based: Some(1),
        },
        Block::KeyValues {
            pairs: vec![pair("k ey", "v")],
        },
        Block::Text {
            text: "[a cat]".to_owned(),
        },
    ];
    assert_eq!(drawn, expected);
}

#[tokio::test]
async fn a_drawing_is_bounded_in_blocks_and_in_text() {
    let block = |length: usize| Block::Text {
        text: "é".repeat(length),
    };
    let many = entry(vec![block(1); 1000]).await;
    assert_eq!(many.len(), 65);
    let long = entry(vec![block(100_000), block(1)]).await;
    assert_eq!(long.len(), 2);
    assert_eq!(
        text(&ToolCard {
            blocks: long,
            ..ToolCard::default()
        })
        .len(),
        65_536 + " / the drawing is longer than what is shown".len()
    );
}
