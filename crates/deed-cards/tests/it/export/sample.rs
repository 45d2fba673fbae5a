//! A small session with an item of each kind.

use deed_cards::{ExportEntry, ExportHead, ExportItem, ExportTotals, SummaryOf};
use deed_protocol::{
    BashExecutionMessage, Block, ContentBlock, Extra, NoticeLevel, Tone, ToolCard, Usage,
    UserContent,
};

use super::Item;
use crate::samples;

pub(crate) struct Session {
    asked: UserContent,
    asked_again: UserContent,
    told: UserContent,
    edit: ToolCard,
    test: ToolCard,
    ran: BashExecutionMessage,
}

pub(crate) const STARTED_MS: i64 = 1_796_073_132_006;

const ANSWER: &str = "\
# Plan

The **parser** drops the last line; see [the issue](https://example.org/7) and `read_line`.

```rust
let end = memchr(b'\\n', input);
```

| file | lines |
|------|------:|
| a.rs | 12 |

1. fix it
2. test it
   - [x] by hand
";

pub(crate) fn head() -> ExportHead<'static> {
    let mut usage = Usage {
        input: 1_200,
        output: 345,
        cache_read: 98_765,
        ..Usage::default()
    };
    usage.cost.total = 0.0123;
    ExportHead {
        title: "Fix the parser",
        session_id: "0198f3a2-77aa-7000-8000-5f0d4c2b1a90",
        started_ms: Some(STARTED_MS),
        folder: "~/parser",
        totals: ExportTotals {
            messages: 9,
            calls: 2,
            failed_calls: 1,
            usage,
        },
    }
}

impl Session {
    pub(crate) fn new() -> Self {
        let failed: Vec<_> = (1..=20).map(|n| format!("test case_{n} ... ok")).collect();
        Self {
            asked: UserContent::Blocks(vec![
                ContentBlock::text("Fix the parser.\n\n    it drops <the> last line\n"),
                ContentBlock::image(samples::PNG_640_480, "image/png"),
            ]),
            asked_again: UserContent::Text("And *now*?".into()),
            told: UserContent::Text("CI is **red**".into()),
            edit: samples::diff(),
            test: ToolCard::new("bash", "cargo test")
                .badge("exit 101", Tone::Bad)
                .block(Block::Text {
                    text: failed.join("\n"),
                }),
            ran: BashExecutionMessage {
                command: "git status".into(),
                output: "clean\n".into(),
                exit_code: Some(0),
                cancelled: false,
                truncated: true,
                full_output_path: Some("/tmp/out.txt".into()),
                timestamp: 0,
                exclude_from_context: Some(true),
                extra: Extra::new(),
            },
        }
    }

    pub(crate) fn items(&self) -> Vec<Item<'_>> {
        let of = SummaryOf::Compaction {
            tokens_before: 123_456,
        };
        let items: [(&'static str, ExportItem<'_>); 13] = [
            (
                "a1",
                ExportItem::Change {
                    what: "model",
                    value: "anthropic/some-model",
                },
            ),
            ("a2", ExportItem::Prompt(&self.asked)),
            ("a3", ExportItem::Thinking("It is the `memchr`.")),
            ("a3", ExportItem::Answer(ANSWER)),
            (
                "a3",
                ExportItem::Call {
                    card: &self.edit,
                    result_id: "a4",
                },
            ),
            (
                "a5",
                ExportItem::Call {
                    card: &self.test,
                    result_id: "a6",
                },
            ),
            ("a7", ExportItem::Thinking("")),
            (
                "a7",
                ExportItem::Notice {
                    level: NoticeLevel::Error,
                    text: "the connection was lost",
                },
            ),
            ("a8", ExportItem::Command(&self.ran)),
            (
                "a9",
                ExportItem::Custom {
                    kind: "ci",
                    content: &self.told,
                },
            ),
            (
                "b1",
                ExportItem::Summary {
                    of,
                    text: "They fixed *it*.",
                },
            ),
            ("b2", ExportItem::Prompt(&self.asked_again)),
            ("b3", ExportItem::Answer("Done.")),
        ];
        let entry = |(at, (id, item))| {
            let at_ms = Some(STARTED_MS + 1_000 * at as i64);
            (ExportEntry { id, at_ms }, item)
        };
        items.into_iter().enumerate().map(entry).collect()
    }
}
