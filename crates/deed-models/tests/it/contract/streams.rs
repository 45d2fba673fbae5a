use deed_protocol::{AssistantDelta, AssistantMessage, ContentBlock, ErrorKind, StopReason};

use super::{NOTHING, Played, PlayedCall, ROWS, TWO_CALLS, hello, model, stream};
use crate::support::{Reply, Server, ask, ask_until, ask_with_usage, heard};

/// Returns the blocks of a message in one line each.
fn blocks(message: &AssistantMessage) -> Vec<String> {
    let blocks = message.content.iter().map(|block| match block {
        ContentBlock::Text(block) => format!("text {}", block.text),
        ContentBlock::Thinking(block) => format!("thinking {}", block.thinking),
        ContentBlock::ToolCall(call) => {
            format!("call {} {}", call.name, call.arguments.get())
        }
        other => format!("{other:?}"),
    });
    blocks.collect()
}

const TWO_CALLS_BLOCKS: &[&str] = &[
    "thinking Erst lesen – 考える",
    "text Grüße 🦀",
    "call read {\"say\":\"ä\\n🦀\"}",
    "call write {\"ms\":7}",
];

/// Sizes of pieces: at 1 a stream is cut at every byte, and at the others each byte is somewhere the
/// first or the last of its piece. A single cut anywhere is in `cuts.rs`.
const PIECE_SIZES: std::ops::RangeInclusive<usize> = 1..=48;

#[tokio::test]
async fn a_stream_cut_at_every_byte_is_the_same_answer() {
    for row in ROWS {
        let whole = stream(row, &TWO_CALLS);
        let replies = PIECE_SIZES.map(|size| Reply::stream(whole.as_bytes().chunks(size)));
        let server = Server::start(replies.collect::<Vec<_>>()).await;
        let model = model(row, &server);
        let (request, mut first) = (hello(), None);
        for size in PIECE_SIZES {
            let (message, deltas) = ask(&model, &request).await;
            let what = format!("{} in pieces of {size}", row.api);
            assert_eq!(blocks(&message), TWO_CALLS_BLOCKS, "{what}");
            assert_eq!(message.stop_reason, StopReason::ToolUse, "{what}");
            let first = first.get_or_insert_with(|| heard(&deltas));
            assert_eq!(&heard(&deltas), first, "{what}");
        }
    }
}

#[tokio::test]
async fn listeners_hear_each_block_begin_grow_and_end() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (_, deltas) = ask(&model(row, &server), &hello()).await;
        let heard = heard(&deltas);
        let texts = [
            "Erst lesen – 考える",
            "Grüße 🦀",
            "{\"say\":\"ä\\n🦀\"}",
            "{\"ms\":7}",
        ];
        assert_eq!(heard.texts, texts, "{}", row.api);
        let kinds = ["thinking", "text", "toolcall", "toolcall"];
        for (at, kind) in kinds.iter().enumerate() {
            let marks: Vec<&str> = heard
                .marks
                .iter()
                .filter_map(|mark| mark.strip_prefix(&format!("{at} ")))
                .collect();
            let wanted = [format!("{kind}_start"), format!("{kind}_end")];
            assert_eq!(marks, wanted, "{} block {at}", row.api);
        }
    }
}

#[tokio::test]
async fn parallel_calls_keep_their_ids_and_their_order() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let ids: Vec<&str> = message
            .tool_calls()
            .map(|call| call.id.split('|').next().unwrap())
            .collect();
        assert_eq!(ids, ["call_a", "call_b"], "{}", row.api);
    }
}

#[tokio::test]
async fn usage_and_cost_are_counted() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let usage = &message.usage;
        let counted = (
            usage.input,
            usage.cache_read,
            usage.output,
            usage.total_tokens,
        );
        assert_eq!(counted, (90, 10, 20, 120), "{}", row.api);
        let total = usage.cost.total;
        assert!((total - 0.000_291).abs() < 1e-9, "{}: {total}", row.api);
    }
}

#[tokio::test]
async fn listeners_learn_of_the_usage_once_and_as_the_message_has_it() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (message, come) = ask_with_usage(&model(row, &server), &hello()).await;
        // All came at once, so the first of it has the news and nothing else is any.
        let told: Vec<bool> = come.iter().map(|come| come.usage.is_some()).collect();
        assert!(
            told[0] && !told[1..].contains(&true),
            "{}: {told:?}",
            row.api
        );
        assert_eq!(
            come[0].usage.as_deref(),
            Some(&message.usage),
            "{}",
            row.api
        );
    }
}

#[tokio::test]
async fn an_answer_names_its_model_and_its_time() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let names = (&*message.api, &*message.provider, &*message.model);
        assert_eq!(names, (row.api.as_str(), "acme", "acme-1"));
        assert_eq!(
            message.response_model.as_deref(),
            Some("acme-1-0613"),
            "{}",
            row.api
        );
        assert_eq!(message.timestamp, 1_000);
        assert_eq!(message.thinking_level.as_deref(), Some("off"));
        assert!(message.duration_ms.is_some());
        assert!(message.response_id.is_some(), "{}", row.api);
    }
}

#[tokio::test]
async fn an_answer_without_a_word_is_an_empty_message() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &NOTHING))]).await;
        let (message, deltas) = ask(&model(row, &server), &hello()).await;
        assert_eq!(message.stop_reason, StopReason::Stop, "{}", row.api);
        assert!(message.content.is_empty(), "{}: {message:?}", row.api);
        assert!(deltas.is_empty(), "{}", row.api);
    }
}

#[tokio::test]
async fn comments_and_junk_lines_are_no_part_of_an_answer() {
    for row in ROWS {
        let events = (row.answer)(&TWO_CALLS);
        let junk = ": keep-alive\n\njunk\ndata\n\nretry: 5\nevent: ping\n\n";
        let noisy: String = events.iter().flat_map(|event| [junk, event]).collect();
        let server = Server::start([Reply::events(&noisy)]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        assert_eq!(blocks(&message), TWO_CALLS_BLOCKS, "{}", row.api);
    }
}

#[tokio::test]
async fn lines_may_end_in_any_way() {
    for row in ROWS {
        for end in ["\r\n", "\r"] {
            let text = stream(row, &TWO_CALLS).replace('\n', end);
            let server = Server::start([Reply::events(&format!("\u{feff}{text}"))]).await;
            let (message, _) = ask(&model(row, &server), &hello()).await;
            assert_eq!(blocks(&message), TWO_CALLS_BLOCKS, "{} {end:?}", row.api);
        }
    }
}

#[tokio::test]
async fn an_answer_counts_though_nobody_listens() {
    for row in ROWS {
        let server = Server::start([Reply::events(&stream(row, &TWO_CALLS))]).await;
        let (to, from) = tokio::sync::mpsc::channel(1);
        drop(from);
        let cancel = tokio_util::sync::CancellationToken::new();
        let model = model(row, &server);
        let message = deed_agent::Model::respond(&model, &hello(), to, &cancel).await;
        assert_eq!(blocks(&message), TWO_CALLS_BLOCKS, "{}", row.api);
    }
}

#[tokio::test]
async fn blank_arguments_are_none() {
    const PLAYED: Played = Played {
        calls: &[PlayedCall {
            id: "call_a",
            name: "read",
            arguments: &[" ", "\n"],
        }],
        ..NOTHING
    };
    for row in ROWS.iter().filter(|row| row.streams_arguments) {
        let server = Server::start([Reply::events(&stream(row, &PLAYED))]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let call = message.tool_calls().next().unwrap();
        assert_eq!(
            (call.arguments.get(), &call.arguments_error),
            ("{}", &None),
            "{}",
            row.api
        );
    }
}

#[tokio::test]
async fn b097_broken_arguments_are_never_half_of_what_was_meant() {
    const PLAYED: Played = Played {
        calls: &[
            PlayedCall {
                id: "call_a",
                name: "write",
                arguments: &["{\"path\":\"a.tex\",\"content\":\"\\up", "silon\"}"],
            },
            PlayedCall {
                id: "call_b",
                name: "write",
                arguments: &["{\"path\":\"a", ".tex\",\"con"],
            },
            PlayedCall {
                id: "call_c",
                name: "write",
                arguments: &["[1]"],
            },
        ],
        ..NOTHING
    };
    for row in ROWS.iter().filter(|row| row.streams_arguments) {
        let server = Server::start([Reply::events(&stream(row, &PLAYED))]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        let calls: Vec<(&str, bool)> = message
            .tool_calls()
            .map(|call| (call.arguments.get(), call.arguments_error.is_some()))
            .collect();
        let repaired = "{\"path\":\"a.tex\",\"content\":\"\\\\upsilon\"}";
        assert_eq!(
            calls,
            [(repaired, false), ("{}", true), ("{}", true)],
            "{}",
            row.api
        );
    }
}

#[tokio::test]
async fn an_abort_in_a_call_closes_the_connection_and_keeps_what_came() {
    for row in ROWS {
        let events = (row.answer)(&TWO_CALLS);
        let whole = events.len() - row.end_events;
        let begun = events[..whole].concat();
        let server = Server::start([Reply::begun([begun.as_bytes()]).hang()]).await;
        let model = model(row, &server);
        let message = ask_until(&model, &hello(), |delta| {
            matches!(delta, AssistantDelta::ToolCallStart { .. })
        })
        .await;
        server.saw_a_closed_connection().await;
        assert_eq!(message.stop_reason, StopReason::Aborted, "{}", row.api);
        assert_eq!(message.error_kind, None, "{}", row.api);
        assert_eq!(blocks(&message)[..2], TWO_CALLS_BLOCKS[..2], "{}", row.api);
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_a_fault_of_the_network() {
    for row in ROWS {
        let events = (row.answer)(&TWO_CALLS);
        let begun = events[..events.len() - row.end_events].concat();
        let half = &begun.as_bytes()[..begun.len() - 7];
        // The proper end of a body, and none.
        let replies = [
            Reply::events(&begun),
            Reply::begun([begun.as_bytes()]).close(),
            Reply::begun([half]).close(),
            Reply::stream([half]),
        ];
        let count = replies.len();
        let server = Server::start(replies).await;
        let model = model(row, &server);
        for at in 0..count {
            let (message, _) = ask(&model, &hello()).await;
            let what = (row.api, at, &message.error_message);
            assert_eq!(message.stop_reason, StopReason::Error, "{what:?}");
            assert_eq!(message.error_kind, Some(ErrorKind::Network), "{what:?}");
            assert!(
                message
                    .error_message
                    .as_ref()
                    .unwrap()
                    .contains("broke off"),
                "{what:?}"
            );
            assert_eq!(blocks(&message)[..2], TWO_CALLS_BLOCKS[..2], "{what:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_of_no_bytes_is_a_fault_of_the_network() {
    for row in ROWS {
        let server = Server::start([Reply::events(""), Reply::status(200, &[], "")]).await;
        let model = model(row, &server);
        for _ in 0..2 {
            let (message, _) = ask(&model, &hello()).await;
            assert_eq!(message.error_kind, Some(ErrorKind::Network), "{}", row.api);
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_keeps_what_came() {
    for row in ROWS {
        let events = (row.answer)(&TWO_CALLS);
        let begun = events[..events.len() - row.end_events].concat();
        let text = format!("{begun}{}", row.overload_event);
        let server = Server::start([Reply::events(&text)]).await;
        let (message, deltas) = ask(&model(row, &server), &hello()).await;
        assert_eq!(message.stop_reason, StopReason::Error, "{}", row.api);
        assert_eq!(
            message.error_kind,
            Some(ErrorKind::Overloaded),
            "{message:?}"
        );
        assert_eq!(blocks(&message)[..2], TWO_CALLS_BLOCKS[..2], "{}", row.api);
        assert_eq!(heard(&deltas).texts[1], "Grüße 🦀", "{}", row.api);
    }
}

#[tokio::test]
async fn an_error_at_the_end_counts_without_its_blank_line() {
    for row in ROWS {
        let text = row.overload_event.trim_end();
        let server = Server::start([Reply::events(text)]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        assert_eq!(
            message.error_kind,
            Some(ErrorKind::Overloaded),
            "{message:?}"
        );
    }
}

#[tokio::test]
async fn a_whole_answer_counts_though_the_connection_has_no_proper_end() {
    for row in ROWS {
        let text = stream(row, &TWO_CALLS);
        let server = Server::start([Reply::begun([text.as_bytes()]).close()]).await;
        let (message, _) = ask(&model(row, &server), &hello()).await;
        assert_eq!(blocks(&message), TWO_CALLS_BLOCKS, "{}", row.api);
        assert_eq!(message.stop_reason, StopReason::ToolUse, "{}", row.api);
    }
}
