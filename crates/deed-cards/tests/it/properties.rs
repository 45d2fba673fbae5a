use deed_cards::{CardText, Language, LexState, draw_html, draw_text};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::hostile::everywhere;

/// Texts made of what lexers and terminals stumble over.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-z ]{1,12}",
        "[0-9a-fA-FxX._+-]{1,8}",
        prop::sample::select(vec![
            "\n",
            "\t",
            "\r\n",
            "\"",
            "'",
            "`",
            "\\",
            "/*",
            "*/",
            "//",
            "#",
            "<!--",
            "-->",
            "<",
            ">",
            "</script>",
            "<script>",
            "<style>",
            "\"\"\"",
            "'''",
            "r#\"",
            "\"#",
            "<<EOF",
            "EOF",
            "<<~X",
            "```rust",
            "```",
            "~~~",
            "**",
            "](",
            "$",
            "${",
            "}",
            "@",
            "&amp;",
            "&#",
            "=begin",
            "--[[",
            "]]",
            "--",
            "- ",
            "key: ",
            "[a]",
            "[a]: ",
            "![",
            "](javascript:",
            "](https://a.b/)",
            "> ",
            "1. ",
            "\n\n",
            "\n\t",
            "\n    ",
            "    ",
            "|---|---|\n",
            "| ",
            "<div>",
            "<https://a>",
            "\n===\n",
            "# ",
            "'a",
            "b'",
            "\u{301}",
            "漢",
            "👩‍💻",
            "👩",
            "\u{200d}",
            "🇩",
            "🇪",
            "\u{fe0f}",
            "❤",
            "é",
            "\u{202e}",
            "\x1b[31m",
            "لا",
            "ก\u{e33}",
            "ᄀ",
            "ᅡ",
            "\u{1f3fd}",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(parts, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_wider_than_asked(
        text in texts(), width in 0usize..90, unicode: bool, expanded: bool, max_body_lines in 0usize..9,
    ) {
        let options = CardText { width, colour: false, unicode, expanded, max_body_lines };
        let drawn = draw_text(&everywhere(&text), &options);
        for line in drawn.lines() {
            prop_assert!(line.width() <= width, "{} > {width}: {line:?}", line.width());
        }
        prop_assert!(drawn.ends_with('\n'));
        let coloured = draw_text(&everywhere(&text), &CardText { colour: true, ..options });
        prop_assert_eq!(coloured.lines().count(), drawn.lines().count());
    }

    #[test]
    fn a_page_has_no_markup_of_the_card(text in texts()) {
        let empty = draw_html(&everywhere("x")).matches('<').count();
        let page = draw_html(&everywhere(&text));
        let ours = ["<span", "</span", "<mark", "</mark", "<figcaption", "</figcaption", "<code", "</code"];
        let added: usize = ours.iter().map(|tag| page.matches(tag).count()).sum();
        prop_assert!(page.matches('<').count() <= empty + added);
        prop_assert!(!page.contains("<script") && !page.contains("<style"));
    }

    #[test]
    fn spans_are_in_order_and_on_borders_of_characters(text in texts()) {
        for language in Language::all() {
            let mut state = LexState::default();
            for line in text.split('\n') {
                let mut end = 0;
                for span in language.highlight(line, &mut state) {
                    prop_assert!(span.range.start >= end, "{language:?} {line:?}");
                    prop_assert!(line.get(span.range.clone()).is_some_and(|part| !part.is_empty()));
                    end = span.range.end;
                }
            }
        }
    }

    #[test]
    fn a_state_of_another_language_does_no_harm(text in texts(), from in 0usize..30, to in 0usize..30) {
        let all = Language::all();
        let mut state = LexState::default();
        for line in text.split('\n') {
            all[from % all.len()].highlight(line, &mut state);
            all[to % all.len()].highlight(line, &mut state);
        }
    }
}
